-- sluice.hedge_many
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(14);

-- What calls have spent takes milliseconds to sum up where many count: it is counted.
create temporary table summed (budget int);
grant all on summed to public;
alter function sluice.budget_account rename to total_for_real;
create function sluice.budget_account(p_budget sluice.budgets, p_now timestamptz) returns numeric
language plpgsql
as $$
begin
  insert into pg_temp.summed values (p_budget.id);
  return sluice.total_for_real(p_budget, p_now);
end
$$;
-- sums: how often a budget was summed up since this was called last.
create function sums() returns bigint language sql
as $$
  with gone as (delete from pg_temp.summed returning budget)
  select count(*) from gone
$$;
-- rows_of: how many rows the account of a budget has.
create function rows_of(p_budget text) returns bigint language sql
as $$ select count(*) from sluice.budget_spent s where s.budget = (budget_row(p_budget)).id $$;

select given_priced_model() as m, given_priced_model() as other, given_tenant() as t \gset
select given_budget('model', :'m', 100000) as b, given_budget('tenant', :'t', 100000) as c,
  given_worker(array[:'m', :'other']) as w \gset
select given_hedging(:'m'), given_hedging(:'other') \g /dev/null
update sluice.models set hedge_budget = 1 where name in (:'m', :'other');
select given_calls(:'m', 20) as ids, given_calls(:'m', 6, :'t') as theirs,
  given_calls(:'other', 2) as others \gset
select claimed(:w, 50), sums() \g /dev/null
select rows_of(:'b') as before \gset
select is(hedged(:w, :'ids', at(2)), :'ids', 'each of 20 tasks may have another call');
select is(sums(), 1::bigint, 'their budget is summed up once');
select is(rows_of(:'b'), :before + 1::bigint, 'and its account has one row more');
select is(stands(:'b'), '0+4600', 'for all');
select is((select array_agg(c.task_id order by c.task_id) from sluice.budget_call c
  where c.budget = (budget_row(:'b')).id and c.call = 1 and c.nanos = 100 and c.at = at(2)), :'ids',
  'but each call is held by itself');

update sluice.budgets set limit_nanos = 4900 where name = :'b';
update sluice.budgets set limit_nanos = 1000 where name = :'c';
insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'c')).id, at(0), 200);
select sums() \g /dev/null
select is(hedged(:w, :'theirs'::bigint[] || :'others'::bigint[] || :'ids'::bigint[], at(3)),
  (:'ids'::bigint[])[:1] || (:'theirs'::bigint[])[:2] || :'others'::bigint[],
  'of three for which there is room a tenant may have two; others need none');
select is(sums(), 2::bigint, 'both budgets are summed up once');
select is(stands(:'b', at(3)), '0+4900', 'one is full');
select is(stands(:'c', at(3)), '200+800', 'and the tenant''s');
select is(hedged(:w, :'ids'::bigint[] || :'theirs'::bigint[], at(4)), '{}', 'nothing more fits');
select is(stands(:'b', at(4)), '0+4900', 'or is held');

update sluice.budgets set limit_nanos = 100000 where name in (:'b', :'c');
select (:'theirs'::bigint[])[6] as twice \gset
select is(hedged(:w, array[:twice, :twice, :twice], at(5)), array[:twice, :twice]::bigint[],
  'a task that is named repeatedly has hedge_max calls more');
select is((select sum(c.nanos) from sluice.budget_call c where c.task_id = :twice
  and c.budget = (budget_row(:'c')).id), 300::numeric, 'and each is held');
select is((select count(*) from sluice.hedge_many(:w, null, null, at(6))), 0::bigint,
  'none for nothing');

select * from finish();
rollback;
