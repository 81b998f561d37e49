-- sluice.caller_scope
begin;
\ir ../../_helpers.sql
select plan(2);

set local enable_seqscan = off;
create function plan_of(p_sql text) returns text language plpgsql
as $$
declare
  v_line text;
  v_plan text := '';
begin
  for v_line in execute 'explain ' || p_sql loop
    v_plan := v_plan || v_line || e'\n';
  end loop;
  return v_plan;
end
$$;
select matches(plan_of('select * from sluice.tasks where id = 1'),
  'Index Cond: \(task_id = 1\)', 'a task by its id');
select unalike(plan_of('select * from sluice.tasks where status = ''queued'''), '%backlog%',
  'one status is one place');

select * from finish();
rollback;
