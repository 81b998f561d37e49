begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select given_worker(array[:'a', :'b']) as w \gset
select set_eq(format('select unnest(sluice.open_models(%s, null, at(1)))', :w), array[id_of(:'a'), id_of(:'b')], 'all it serves');
select set_eq(format('select unnest(sluice.open_models(%s, array[%L, ''nobody''], at(1)))', :w, :'b'), array[id_of(:'b')],
  'of these the ones it names');

select * from finish();
rollback;
