begin;
\set alone
\ir ../_helpers.sql
select plan(5);

-- A session lock taken twice must be dropped twice: the bell would ring for a sleeper who is awake.
select given_model() from generate_series(1, 8) \g /dev/null
select given_worker() as w \gset
select bells as held from sluice.take_bells(:w, '{}', at(0)) \gset
select is(cardinality(held_bells()), 16, 'eight models: eight bells, eight alarms');
select results_eq(format('select bells, complete from sluice.take_bells(%s, %L, at(0))', :w, :'held'),
  format('values (%L::int[], true)', :'held'), 'once more, with those it holds already');
select sluice.drop_bells(:'held');
select is(held_bells(), '{}', 'dropped once, all are free');
select is((select cardinality(bells) from sluice.take_bells(:w, null, at(0))), 16, 'null stands for none held');
select sluice.drop_bells(:'held');
select is(held_bells(), '{}', 'and all are free again');

select * from finish();
rollback;
