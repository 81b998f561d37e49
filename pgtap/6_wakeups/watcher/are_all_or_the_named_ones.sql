begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_worker() as all \gset
select given_worker(array[:'b', 'nobody']) as some \gset
select set_has(format('select unnest(sluice.served_models(%s))', :all),
  format('values (%s), (%s)', id_of(:'a'), id_of(:'b')), 'no names: all');
select is(sluice.served_models(:some), array[id_of(:'b')], 'else those that exist');
select is(sluice.served_models(1), '{}', 'an unknown worker serves none');

select * from finish();
rollback;
