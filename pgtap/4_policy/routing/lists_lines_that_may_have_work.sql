begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as a \gset
select given_model() as b \gset
select given_model() as c \gset
select given_route(:'a', :'b') as r \gset
select array[id_of(:'a'), id_of(:'b'), id_of(:'c')] as ids \gset
select is(sluice.models_with_work(:'ids'), '{}', 'none at first');
select given_task(:'c') \g /dev/null
select is(sluice.models_with_work(:'ids'), array[id_of(:'c')], 'one with a task');
select sluice.pause(:'a'), sluice.pause(:'b') \g /dev/null
select given_task(:'r') \g /dev/null
select set_eq(format('select unnest(sluice.models_with_work(%L))', :'ids'), :'ids'::int[],
  'all of a route that waits');
select is(sluice.models_with_work(:'ids', 1, at(1)), array[id_of(:'c')],
  'or as many of each route as are asked for, of those that can call');
select sluice.resume(:'b') \g /dev/null
select set_eq(format('select unnest(sluice.models_with_work(%L, 2, at(1)))', :'ids'), :'ids'::int[],
  'all if they are no more');
select set_eq(format('select unnest(sluice.models_with_work(%L, 1, at(1)))', :'ids'),
  array[id_of(:'b'), id_of(:'c')], 'however many cannot');
select is(sluice.models_with_work(array[id_of(:'b')]), array[id_of(:'b')],
  'only those it was asked about');

select * from finish();
rollback;
