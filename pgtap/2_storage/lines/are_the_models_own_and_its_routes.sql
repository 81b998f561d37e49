begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select is(cardinality(sluice.lines_for(model_row(:'a'))), 3, 'its own, and two of its route');
select is((sluice.lines_for(model_row(:'a')))[1], id_of(:'a'), 'its own first');
update sluice.routes set weight = 0 where route = :'r' and model = :'a';
select is(sluice.lines_for(model_row(:'a')), array[id_of(:'a')],
  'without a weight none of the route');

select * from finish();
rollback;
