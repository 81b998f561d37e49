begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(2);

select setseed(0.5);
select given_priced_model() as a, given_priced_model() as b, given_tenant() as over, given_worker()
  as w \gset
select given_budget('tenant', :'over', 1000) as budget \gset
insert into sluice.budget_spent (budget, at, nanos)
values ((budget_row(:'budget')).id, at(0), 990);
select given_calls(:'a', 100), given_calls(:'b', 100) \g /dev/null
-- called: how many of forty claims of one task get one of p_model, while the tenant that is over
-- its budget submits p_tasks before each. Each claim is a transaction of its own, as it were.
create function called(p_worker bigint, p_model text, p_tenant text, p_tasks int) returns bigint
language plpgsql
as $$
declare
  v_before bigint := (select count(*) from sluice.lease where model = id_of(p_model));
begin
  for n in 1 .. 40 loop
    perform set_config('sluice.over_models_now', '', true), given_calls(p_model, p_tasks, p_tenant);
    delete from sluice.mark;  -- what comes as of at(0) may lie below one
    perform claimed(p_worker, 1, at(1));
  end loop;
  return (select count(*) - v_before from sluice.lease where model = id_of(p_model));
end
$$;
select cmp_ok(called(:w, :'b', :'over', 3), '>=', 12::bigint, 'three tasks a claim');
select cmp_ok(called(:w, :'b', :'over', 20), '>=', 12::bigint, 'or twenty');

select * from finish();
rollback;
