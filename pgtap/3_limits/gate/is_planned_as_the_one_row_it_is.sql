-- Of a table that was never analyzed the planner expects hundreds of rows. Then a generic plan
-- seems dear, and each submit plans the statement that reads the gate anew. (A page more, full of
-- what other tests have taken back, counts as a row.)
begin;
\ir ../../_helpers.sql
select plan(1);

create function rows_expected() returns int language plpgsql as $$
declare
  v_plan json;
begin
  execute 'explain (format json) select from sluice.gate' into v_plan;
  return v_plan #>> '{0,Plan,Plan Rows}';
end
$$;
select cmp_ok(rows_expected(), '<', 20, 'rows that the planner expects');

select * from finish();
rollback;
