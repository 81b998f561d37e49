begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as v \gset
select given_tasks(:'m', 3) \g /dev/null
select ids[1] as a, ids[2] as b from claimed(:w, 2) ids \gset
select claimed(:v, 1) \g /dev/null
select bag_eq(format('select task_id, fence from sluice.held_leases(%s)', :w),
  format('values (%s::bigint, 1), (%s::bigint, 1)', :a, :b), 'two keys');
select is_empty('select from sluice.held_leases(-1)', 'none of an unknown worker');

select * from finish();
rollback;
