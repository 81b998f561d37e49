-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(completed(:w, told(:t, 'cancelled')), true, 'it holds');
select is(places(:t), 'cancelled', 'the task has ended');
select is((select attempts::int from sluice.result where task_id = :t), 0, 'no attempt is charged');

select * from finish();
rollback;
