begin;
\ir ../../_helpers.sql
select plan(4);

create function plan_of(p_status text) returns text language plpgsql
as $$
declare
  v_line text;
  v_plan text := '';
begin
  for v_line in execute format('explain select * from sluice.tasks where status = %L', p_status)
    loop
    v_plan := v_plan || v_line || e'\n';
  end loop;
  return v_plan;
end
$$;
select given_model() as m \gset
select unalike(plan_of('queued'), '%on lease%', 'queued: no leases are read');
select unalike(plan_of('queued'), '%on backlog%', 'nor the backlog');
select matches(plan_of('processing'), 'on lease', 'processing: the leases are');
select unalike(plan_of('processing'), '%queue_%', 'and no queue');

select * from finish();
rollback;
