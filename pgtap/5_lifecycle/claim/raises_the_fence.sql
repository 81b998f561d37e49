begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'returned')) \g /dev/null
select results_eq(format('select task_id, fence, attempt from sluice.claim(%s, null, 1, at(3))',
  :w), format('values (%s::bigint, 2, 1)', :t), 'each claim raises it, a return costs no attempt');

select * from finish();
rollback;
