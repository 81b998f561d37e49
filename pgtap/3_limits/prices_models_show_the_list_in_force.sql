-- sluice.begin_list, sluice.after_model_price, sluice.nanos_of_price, sluice.after_prices_change,
-- sluice.show_prices
begin;
\ir ../_helpers.sql
select plan(14);

select given_model() as m \gset
create function shown(p_model text) returns text language sql
as $$ select format('%s %s %s', input_price, output_price, is_priced) from sluice.models
  where name = p_model $$;
create function lists(p_model text) returns text language sql
as $$ select string_agg(format('%s/%s/%s/%s', above_tokens, input, output, cached_input), ' '
  order by valid_from, above_tokens) from sluice.prices where model = p_model $$;

select is(shown(:'m'), '  f', 'a new model has no price');
update sluice.models set input_price = 2, output_price = 10 where name = :'m';
select is(lists(:'m'), '0/2000000000/10000000000/', 'to set them begins the first list');
select is(shown(:'m'), '2 10 t', 'and the model shows it');
update sluice.prices set cached_input = 200000000 where model = :'m';
insert into sluice.prices (model, valid_from, above_tokens, input, output)
select model, valid_from, 1000, 4000000000, 20000000000 from sluice.prices where model = :'m';
update sluice.models set output_price = 12 where name = :'m';
select is(lists(:'m'), '0/2000000000/10000000000/200000000 1000/4000000000/20000000000/ '
  '0/2000000000/12000000000/200000000 1000/4000000000/20000000000/',
  'another price begins a list, with all that did not change');
insert into sluice.prices (model, valid_from, input, output)
values (:'m', at(10), 3000000000, 1000);
select is(shown(:'m'), '2 12 t', 'a list to come is not shown yet');
select sluice.show_prices(null, at(11));
select is(shown(:'m'), '3 0.000001 t', 'but when its time has come');
select is((select count(*) from sluice.prices where model = :'m'), 5::bigint,
  'and that begins no other');
delete from sluice.prices where model = :'m';
select is(shown(:'m'), '  f', 'without lists it has no price again');
-- Old clients set smaller ones.
update sluice.models set input_price = 0.0000001, output_price = 1e9 where name = :'m';
select is(lists(:'m'), '0/1000/1000000000000000000/', 'what models takes, prices can take');
select throws_ok(format('update sluice.models set output_price = %L where name = %L', p, :'m'),
  '23514', null, p || ' is none for a model either')
from unnest(array['NaN', 'Infinity', '1e300']) p;
delete from sluice.prices where model = :'m';
select throws_ok(format('insert into sluice.prices (model, input) values (%L, %s)', :'m', p),
  '23514', null, p || ' is a price in whole units, not in nano-units')
from unnest(array[0.15, 2]) p;

select * from finish();
rollback;
