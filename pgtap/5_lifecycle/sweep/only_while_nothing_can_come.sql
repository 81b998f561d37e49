-- sluice.is_idle, sluice.waits_for_time
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(8);

select given_model() as m, given_worker() as w \gset
delete from sluice.ready_line;
select ok(sluice.is_idle(), 'nothing is there');
select given_task(:'m') as t \gset
select ok(not sluice.is_idle(), 'a model may have work');
select claimed(:w, 1) \g /dev/null
delete from sluice.ready_line;
select ok(not sluice.is_idle(), 'a call is under way');
select completed(:w, told(:t, 'solved')) \g /dev/null
delete from sluice.ready_line;
select ok(sluice.is_idle(), 'it has ended');

select given_budget('tenant', 'd', 1000) as daily,
  given_budget('tenant', 'r', 1000, period => 'rolling', rolling => '1 hour') as rolling \gset
create function waits_for(p_budget text) returns void language sql
as $$
  insert into sluice.budget_wait (task_id, budget, until, reason, need, rank, tenant)
  values (-(budget_row(p_budget)).id, (budget_row(p_budget)).id, at(3600), '', 1, 0, 'x');
  insert into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
  values (-(budget_row(p_budget)).id, at(3600), 1, 1, 0, 0, 0, 'x');
$$;
select waits_for(:'daily');
select ok(sluice.is_idle(), 'a day''s budget has no room before the next day');
select waits_for(:'rolling');
select ok(not sluice.is_idle(), 'one of a time that rolls has more at any moment');
select is((select asleep from sluice.fall_asleep(:w, at(10))), false, 'nor does a worker sleep');
delete from sluice.later where task_id < 0;
select ok(sluice.is_idle(), 'a task that was cancelled waits for nothing');

select * from finish();
rollback;
