-- sluice.retry_later, sluice.store_results
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as raised, given_task(:'m') as lowered \gset
select claimed(:w, 2) \g /dev/null
-- As if an administrator's change were committed between two looks.
create sequence sluice.look;
grant usage on sequence sluice.look to public;
create or replace function sluice.attempts_max(p_task bigint, p_model int) returns int language sql
as $$ select case when nextval('sluice.look') = 1 then 5 else 1 end $$;
select completed(:w, told(:lowered, 'retry')) \g /dev/null
select is(array(select task_id from sluice.later union all select task_id from sluice.result
  where task_id = :lowered), array[:lowered::bigint], 'with an attempt left it waits');
select setval('sluice.look', 1) \g /dev/null
create or replace function sluice.attempts_max(p_task bigint, p_model int) returns int language sql
as $$ select case when nextval('sluice.look') = 2 then 1 else 5 end $$;
select completed(:w, told(:raised, 'retry')) \g /dev/null
select is(array(select status from sluice.result where task_id = :raised union all
  select 'waits' from sluice.later where task_id = :raised), array['failed'],
  'without one it has ended');

select * from finish();
rollback;
