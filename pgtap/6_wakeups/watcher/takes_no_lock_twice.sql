begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

-- A session lock taken twice must be dropped twice: submitters would notify a sleeper who is awake.
select given_model() from generate_series(1, 8) \g /dev/null
select given_worker() as w \gset
select locks as held from sluice.take_sleeper_locks(:w, '{}', at(0)) \gset
select is(cardinality(held_locks()), 16, 'eight models: eight sleeper locks, eight opening locks');
select results_eq(format('select locks, complete from sluice.take_sleeper_locks(%s, %L, at(0))',
  :w, :'held'),
  format('values (%L::int[], true)', :'held'), 'once more, with those it holds already');
select sluice.drop_sleeper_locks(:'held');
select is(held_locks(), '{}', 'dropped once, all are free');
select is((select cardinality(locks) from sluice.take_sleeper_locks(:w, null, at(0))), 16,
  'null stands for none held');
select sluice.drop_sleeper_locks(:'held');
select is(held_locks(), '{}', 'and all are free again');

select * from finish();
rollback;
