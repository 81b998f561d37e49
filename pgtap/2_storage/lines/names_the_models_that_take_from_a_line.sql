begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select is(sluice.models_of_line(own_line(:'r')), array[id_of(:'a'), id_of(:'b')],
  'a route''s models');
select is(sluice.models_of_line(own_line(:'r'), array[id_of(:'b')]), array[id_of(:'b')],
  'those that were asked for');
select is(sluice.models_of_line(id_of(:'a')), array[id_of(:'a')], 'a model''s line is its own');
select is(sluice.models_of_line(id_of(:'a'), '{}'), '{}', 'if it was asked for');

select * from finish();
rollback;
