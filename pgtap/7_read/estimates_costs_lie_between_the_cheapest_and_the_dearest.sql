begin;
\set alone
\ir ../_helpers.sql
select plan(12);

select given_model() as cheap, given_model() as dear \gset
select given_route(:'cheap', :'dear') as r \gset
select sluice.set_counter('learned', id_of(m), sluice.pack_learned(250000, 100))
from unnest(array[:'cheap', :'dear']) m \g /dev/null
update sluice.models set input_price = 1, output_price = 2 where name = :'cheap';
update sluice.models set input_price = 10, output_price = 20 where name = :'dear';
insert into sluice.history_row (step, at, model, tenant, solved, output_tokens)
values ('day', at(-86400), :'cheap', null, 10, 300);

-- of_cost: what ten prompts of 4,000 bytes cost, 1,008 tokens each: from; to: each byte a token,
-- and 64 for the frame.
create function of_cost(p_name text) returns numeric[] language sql
as $$
  select array[e.cost_min, e.cost_max] from sluice.estimate_many((select jsonb_agg(
    jsonb_build_object('model', p_name, 'prompt', repeat('x', 4000)))
    from generate_series(1, 10)), at(0)) e
$$;

select is(of_cost(:'cheap'), '{0.01068, 0.04264}'::numeric[],
  'from answers as they were on average to what a budget would hold');
select is(of_cost(:'dear'), '{0.1010, 0.4264}'::numeric[], 'no answer yet: one token each');
select is(of_cost(:'r'), '{0.01068, 0.4264}'::numeric[],
  'of a route from its cheapest to its dearest');

-- costs: of two calls of 1,000,000 tokens in all, and as many, or ten, out.
create function costs(p_model text) returns text language sql
as $$ select format('%s to %s', c.cost_min, c.cost_max) from sluice.expected_costs(
  model_row(p_model), 2, 1000000, 10, 1000000, 1000000, 500000, at(0)) c $$;
select is(costs(:'cheap'), '1.00002 to 3', 'prices are per million');
update sluice.prices set per_request = 1000000000, cache_write = 1500000000 where model = :'cheap';
select is(costs(:'cheap'), '3.00002 to 5.5', 'of each call, and what the cache costs at most');
insert into sluice.prices (model, valid_from, above_tokens, input, output, per_request)
select model, valid_from, 400000, 5000000000, 2000000000, 0 from sluice.prices
where model = :'cheap';
select is(costs(:'cheap'), '5.00002 to 9',
  'and above so many tokens, of each price the dearest that may apply');
update sluice.models set max_output_tokens = 10 where name = :'dear';
select is((of_cost(:'dear'))[2], 0.4084, 'no answer is longer than its model lets it be');
update sluice.models set output_price = null where name = :'cheap';
select is(costs(:'cheap'), ' to ', 'a price that is not known is not 0');
select is(of_cost(:'r'), array[null, null]::numeric[], 'nor is a route with such a model');
select is((select unpriced from sluice.estimate_many(jsonb_build_array(jsonb_build_object('model',
  :'r', 'prompt', 'x')), at(0))), array[:'cheap'], 'it says which');
select is((select (sum(part), count(*)) from sluice.estimate_takers(jsonb_build_array(
    jsonb_build_object('name', :'r', 'tenant', 'default', 'tasks', 8, 'bytes', 8, 'bounded', 0,
    'bounds', 0)), at(0))), (8::float8, 2::bigint), 'each of a route''s models takes its part');

-- budgets
select given_model() as held, jsonb_agg(jsonb_build_object('prompt', repeat('x', 10 * n),
  'max_output_tokens', n)) as tasks from generate_series(1, 3) n \gset
insert into sluice.prices (model, valid_from, input, output, per_request)
values (:'held', 'epoch', 1000000, 2000000, 7);
insert into sluice.budgets (name, scope, limit_nanos, is_hard) values ('b', 'system', 1e9, true);
set constraints all immediate;
update sluice.settings set default_model = :'held';
select e.cost_max from sluice.estimate_many(:'tasks', at(0)) e \gset
select sluice.submit_many(:'tasks', at(0)) \g /dev/null
select cardinality(claimed(given_worker(array[:'held']), 3)) \g /dev/null
select is((select format('%s: %s', count(*), sum(nanos)) from sluice.budget_call),
  format('3: %s', sluice.in_nanos(:cost_max)), 'a budget holds what was estimated at most');

select * from finish();
rollback;
