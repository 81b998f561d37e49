begin;
\ir ../_helpers.sql
select plan(8);

select given_model() as m \gset
update sluice.models set input_price = 1, output_price = 1 where name = :'m';
select sluice.estimate_array(format('[{"model": "%s", "prompt": "x", "priority": "hot"},
  {"model": "%1$s", "request": {"max_tokens": 3}}]', :'m'), null, null, at(0)) as estimate \gset
select is(:'estimate'::json ->> 'object', 'estimate', 'an object');
select is((:'estimate'::json ->> 'count')::int, 2, 'of both kinds of tasks');
select is(json_array_length(:'estimate'::json -> 'models'), 1, 'with a row for their model');
select ok((:'estimate'::json ->> 'cost_min')::numeric < (:'estimate'::json ->> 'cost_max')::numeric,
  'and a range of costs');
select is(:'estimate'::json ->> 'expected_finish', null, 'no end is known without a worker');
select is(sluice.estimate_object('[]', at(0)) ->> 'count', '0', 'nothing comes to nothing');

select is((error_of(format('select sluice.estimate_array(%L, ''a'', null)',
    '[{"prompt": "x", "tenant": "b"}]'))).code, 'SL009', 'another tenant''s');
select is((error_of('select sluice.estimate_array(''[]'', null, null)')).message,
  'an array of 0 tasks', 'an empty array');

select * from finish();
rollback;
