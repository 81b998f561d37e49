-- sluice.throttle
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) \g /dev/null
select claimed(:w, 3) as ids \gset
select sluice.complete(:w, array(select told(t, 'throttled', retry_after_ms => ms)
  from unnest(:'ids'::bigint[], array[5000, 20000, 1000]) x(t, ms)), at(2)) \g /dev/null
select is((model_row(:'m')).closed_until, at(22),
  'three told at once close it for as long as the longest says');
select is(queued(:'m'), :'ids'::bigint[], 'and all are queued again, in their order');

select * from finish();
rollback;
