begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as free, given_model(rpm => 1200) as limited \gset
select given_task(:'free') as a, given_task(:'limited') as b \gset
select sluice.cancel(t, at(1)) from unnest(array[:a, :b]) t \g /dev/null
select is(sluice.rate_limit_headers(:a, at(1)), '', 'no limits, no headers');
select is(sluice.rate_limit_headers(:b, at(1)),
  E'x-ratelimit-limit-requests: 1200\nx-ratelimit-remaining-requests: 13\n'
  'x-ratelimit-reset-requests: 0ms\n',
    'those it has');
select is(sluice.rate_limit_headers(-1, at(1)), '', 'no such task');

select * from finish();
rollback;
