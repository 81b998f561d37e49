-- sluice.is_old
begin;
\ir ../../_helpers.sql
select plan(2);

create function plan_of(p_sql text) returns text language plpgsql
set enable_seqscan = off
as $$
declare
  v_line text;
  v_plan text := '';
begin
  for v_line in execute 'explain (costs off) ' || p_sql loop
    v_plan := v_plan || v_line;
  end loop;
  return v_plan;
end
$$;
select plan_of('select from sluice.job j where sluice.is_old(j, now())') as plan \gset
select matches(:'plan'::text, 'Index Scan', 'an index is looked at');
select unalike(:'plan'::text, '%is_old(%', 'and no job is asked by a call');

select * from finish();
rollback;
