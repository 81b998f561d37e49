-- sluice.over_models, sluice.note_over
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(6);

select setseed(0.5);
select given_model() as free, given_tenant() as t, given_worker() as w \gset
create temporary table priced as select given_priced_model() as name from generate_series(1, 6);
grant all on priced to public;
select given_budget('tenant', :'t', 1000) as b \gset
insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'b')).id, at(0), 990);
select given_tasks(:'free', 30) \g /dev/null
select given_calls(p.name, 3, :'t') from priced p \g /dev/null
-- first: how often of 20 times a claim asks the free model before all others.
create function first(p_worker bigint, p_model text) returns bigint language sql
as $$
  select count(*) from generate_series(1, 20) n
  where (sluice.open_models(p_worker, null, at(1 + 0 * n)))[1] = id_of(p_model)
$$;
select cmp_ok(first(:w, :'free'), '<', 20::bigint, 'each has its turn');
select claimed(:w, 7, at(1)) \g /dev/null
select bag_eq($$ select unnest(sluice.over_models(false)) $$, $$ select id_of(name) from priced $$,
  'those whose tasks were over a budget are noted');
select bag_eq($$ select unnest(sluice.over_models(true)) $$, $$ select id_of(name) from priced $$,
  'for this transaction, too');
select cmp_ok(first(:w, :'free'), '>=', 14::bigint, 'mostly they come last');
select set_config('sluice.over_models', '', false) \g /dev/null

select given_priced_model() as one \gset
select sluice.note_over(id_of(:'one')) \g /dev/null
select given_task(:'one') \g /dev/null
select sluice.claim(given_worker(array[:'one']), null, 1, at(2)) \g /dev/null
select is(sluice.over_models(false), '{}',
  'until a claim brings calls of them, also where a worker has no other model');

create temporary table many as select given_model() as name from generate_series(1, 60);
select sluice.note_over(id_of(name)), given_task(name) from many \g /dev/null
select sluice.note_over(id_of(name)) from (select name from priced union select :'one') p
\g /dev/null
select cmp_ok(first(:w, :'free'), '>=', 14::bigint, 'however many there are');

select * from finish();
rollback;
