begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(max_attempts => 1) as m, given_worker() as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 2) as ids \gset
with gone as (delete from sluice.lease l where l.task_id = any (:'ids') returning l)
select sluice.charge_lost(array(select l from gone), at(2)) \g /dev/null
select results_eq(
  format('select status, attempts::int, fence, error_code, created_at, finished_at '
         'from sluice.result where task_id = any (%L)',
    :'ids'),
  $$select 'failed', 1, 1, 'worker_lost', at(0), at(2) from generate_series(1, 2)$$,
    'each with its result');
select is(array(select places(t) from unnest(:'ids'::bigint[]) t), '{failed,failed}',
  'which is the only place where it is');

select * from finish();
rollback;
