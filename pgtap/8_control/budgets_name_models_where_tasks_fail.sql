-- sluice.budget_failures, sluice.models_text
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(14);

delete from sluice.budgets;
select given_model() as bare, given_priced_model() as priced, given_priced_model() as good,
  given_model() as unused \gset
update sluice.models set max_output_tokens = 9 where name in (:'good', :'unused');
select given_route(:'good', :'bare') as r, given_tenant() as t \gset
update sluice.tenants set models = array[:'r'] where name = :'t';
create function told(p_name text) returns text language sql as $$
  select format('%s %s', unpriced, unbounded) from sluice.budget_failures(p_name)
$$;
select is_empty('select * from sluice.budget_failures()', 'without budgets none fails');
select given_budget('route', :'r', 5000) as of_route, given_budget('tenant', :'t', 5000)
  as of_tenant, given_budget('model', :'priced', 5000) as of_model,
  given_budget('model', :'good', 5000) as fine,
  given_budget('tenant', 'nobody', 5000) as of_all, given_budget('system', null, 5000) as system,
  given_budget('system', null, 5000, is_hard => false) as soft \gset
select is(told(:'of_route'), format('{%s} {%1$s}', :'bare'), 'a route''s models');
select is(told(:'of_tenant'), format('{%s} {%1$s}', :'bare'), 'those that a tenant may use');
select is(told(:'of_model'), format('{} {%s}', :'priced'), 'a model with a price, but no bound');
select is(told(:'fine'), null, 'or both');
select is(told(:'soft'), null, 'a budget that is not hard lets all through');
select ok(f.unpriced @> array[:'bare', :'unused'] and not f.unpriced && array[:'priced', :'good']
  and f.unbounded @> array[:'bare', :'priced'] and not f.unbounded && array[:'good', :'unused'],
  'all of them for the system') from sluice.budget_failures(:'system') f;
select is(told(:'of_all'), told(:'system'), 'and for a tenant that may use all');
select is((select budgets from sluice.budget_failures() where :'system' = any (budgets)),
  array[:'of_all', :'system'], 'budgets of which the same is true are told together');
select is((select why from sluice.budget_failures(:'of_model')), format(
  'model %s has no max_output_tokens: tasks without one of their own that budget %s counts fail '
  'there', :'priced', :'of_model'), 'in words');
select is((select why from sluice.budget_failures() where :'of_route' = any (budgets)), format(
  'model %s has no price: tasks that budgets %s, %s count fail there; model %1$s has no '
  'max_output_tokens: tasks without one of their own that budgets %2$s, %3$s count fail there',
  :'bare', :'of_route', :'of_tenant'), 'of several');
select is(sluice.models_text('{a,b,c,d,e,f}'), 'models a, b, c, d, e and 1 more have',
  'five at most');
update sluice.routes set weight = 0 where route = :'r' and model = :'bare';
select is(told(:'of_route'), null, 'a model that takes none of the route''s tasks does not count');
update sluice.models set api = 'openai-embeddings', paused = true where name = :'bare';
insert into sluice.prices (model, valid_from, input) values (:'bare', 'epoch', 1000000);
select ok(not (f.unpriced || f.unbounded) @> array[:'bare'], 'embeddings have no answers')
from sluice.budget_failures(:'system') f;

select * from finish();
rollback;
