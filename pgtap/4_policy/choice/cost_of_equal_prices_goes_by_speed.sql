-- sluice.choose, sluice.call_price
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(3);

select given_model() as a, given_model() as b, given_model() as unpriced \gset
select given_choice('cost', :'a', :'b', :'unpriced') as r \gset
select given_worker(array[:'a', :'b', :'unpriced']) as w \gset
select price(:'a', 1), price(:'b', 1) \g /dev/null
select given_speed(:'a', 0.01), given_speed(:'b', 0.01), given_speed(:'unpriced', 0.001)
\g /dev/null
select trickled(:'r', :w, 20) \g /dev/null
select is(calls(:'a', :'b', :'unpriced'), '{10,10,0}', 'two equally cheap ones share');
select is(sluice.call_price(model_row(:'unpriced'), at(1)), 'infinity'::float8,
  'who has no price is the dearest');
update sluice.prices set input = null where model = :'b';
select is(sluice.call_price(model_row(:'b'), at(1)), 'infinity'::float8, 'or only half of one');

select * from finish();
rollback;
