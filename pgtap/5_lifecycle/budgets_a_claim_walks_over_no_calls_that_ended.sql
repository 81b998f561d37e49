-- sluice.within_budgets, sluice.budget_account
-- The attack: a budget beside an open snapshot, a dump's: each claim walked over all calls that had
-- ended meanwhile, to know how much of the account was held: 6 ms after 40,000 of them.
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
set local track_functions = 'all';
select plan(4);

create function calls_of(p_name text) returns bigint language sql
as $$
  select coalesce(sum(f.calls), 0)::bigint from pg_stat_xact_user_functions f
  where f.funcname = p_name
$$;

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000) as b, given_worker(array[:'m']) as w \gset
select given_calls(:'m', 12) as ids \gset
select calls_of('budget_sums') as before \gset
select is(cardinality(claimed(:w, 5)), 5, 'a claim of tasks that fit');
select is(calls_of('budget_sums'), :before::bigint, 'does not ask what is held');
select is(cardinality(claimed(:w, 12, at(3))), 5, 'one that meets tasks that do not');
select cmp_ok(calls_of('budget_sums'), '>', :before::bigint, 'does');

select * from finish();
rollback;
