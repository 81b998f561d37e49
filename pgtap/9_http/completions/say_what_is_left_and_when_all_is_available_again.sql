begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(rpm => 1200) as m \gset
select sluice.take_permits(quota_of(:'m'), 10, at(0)) \g /dev/null
select matches(sluice.rate_limit_lines('requests', 1200, quota_of(:'m'), at(0)),
  E'^x-ratelimit-limit-requests: 1200\nx-ratelimit-remaining-requests: 3\n'
  'x-ratelimit-reset-requests: [1-9][0-9]{2}ms\n$',
    'ten taken');
select is(sluice.rate_limit_lines('requests', null, null, at(0)), '', 'no limit');

select * from finish();
rollback;
