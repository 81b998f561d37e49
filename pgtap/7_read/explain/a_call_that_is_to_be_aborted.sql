begin;
\ir ../../_helpers.sql
select plan(1);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w, given_task(:'m') as t \gset
select claimed(:w, 1, at(1)), sluice.cancel(:t, at(2)) \g /dev/null
select is(sluice.explain(:t, at(3)), format(
  'processing by worker test since 00:00:01 (attempt 1 of 3 on %s), to be aborted: '
  'cancelled at 00:00:02', :'m'),
  'cancelled while it runs');

select * from finish();
rollback;
