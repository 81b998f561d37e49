-- sluice.set_price, sluice.price_rows, sluice.drop_price
begin;
\ir ../_helpers.sql
select plan(10);

select given_model() as m \gset
select is(sluice.set_price(:'m', '{"input": 0.15, "output": 0.6, "valid_from": "2026-01-01Z"}')
  - 'valid_from', jsonb_build_object('model', :'m', 'above_tokens', 0, 'input', 0.15,
  'cached_input', null, 'cache_write', null, 'output', 0.6, 'per_request', 0, 'in_force', true),
  'it answers with the price');
select is((select format('%s %s', input, output) from sluice.prices where model = :'m'),
  '150000000 600000000', 'which is stored in nano-units');
select is(sluice.set_price(:'m',
  '{"input": 0.3, "above_tokens": 1000, "valid_from": "2026-02-01Z"}') ->> 'above_tokens', '1000',
  'a price of large calls');
select is((select string_agg(format('%s %s', above_tokens, input), ', ' order by valid_from,
  above_tokens) from sluice.price_rows(:'m')), '0 0.15, 0 0.15, 1000 0.3',
  'takes the others of that time along');
select is((select count(*) from sluice.price_rows() where model = :'m'), 3::bigint, 'also of all');
select is(sluice.drop_price(:'m', '2026-02-01Z'), 2, 'a list is removed as a whole');
select is((select count(*) from sluice.price_rows(:'m')), 1::bigint, 'and only that');
select throws_ok(format('select sluice.set_price(%L, ''{"input": "x"}'')', :'m'), 'SL004', null,
  'a price is a number');
select throws_ok(format('select sluice.set_price(%L, ''{"input": -1}'')', :'m'), '23514', null,
  'not below 0');
select throws_ok('select sluice.set_price(''nowhere'', ''{"input": 1}'')', 'SL001', null,
  'of a model that exists');

select * from finish();
rollback;
