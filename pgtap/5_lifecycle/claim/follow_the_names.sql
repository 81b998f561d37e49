begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select is(sluice.caps_of(array[id_of(:'b'), id_of(:'a')], array[:'a', :'b'], array[1, 2]),
  array[2, 1], 'in the order of the ids');
select is(sluice.caps_of(array[id_of(:'a')], array[:'a'], null), array[1000],
  'no shares: no caps but that of a claim');

select * from finish();
rollback;
