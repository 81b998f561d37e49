begin;
\ir ../../_helpers.sql
select plan(2);

create function plan_of(p_sql text) returns text language plpgsql
as $$
declare
  v_line text;
  v_plan text := '';
begin
  for v_line in execute 'explain (verbose, costs off) ' || p_sql loop
    v_plan := v_plan || v_line;
  end loop;
  return v_plan;
end
$$;
select unalike(plan_of('select sluice.micros(created_at), sluice.from_micros(id) from sluice.task'),
  '%micros(%', 'micros and its inverse are no calls');
select unalike(plan_of('select sluice.set_counter(''load'', id, 1) from sluice.models'),
  '%set_counter(%', 'nor is set_counter');

select * from finish();
rollback;
