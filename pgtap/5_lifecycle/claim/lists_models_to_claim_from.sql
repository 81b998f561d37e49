begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_worker(array[:'a', :'b']) as w \gset
select is(sluice.open_models(:w, null, at(1)), '{}', 'none while nothing may have work');
select sluice.notify_ready(id_of(:'a')), sluice.notify_ready(id_of(:'b')) \g /dev/null
select set_eq(format('select unnest(sluice.open_models(%s, null, at(1)))', :w),
  array[id_of(:'a'), id_of(:'b')], 'all it serves');
select set_eq(format('select unnest(sluice.open_models(%s, array[%L, ''nobody''], at(1)))', :w,
  :'b'), array[id_of(:'b')], 'of these the ones it names');

select * from finish();
rollback;
