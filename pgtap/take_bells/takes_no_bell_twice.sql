begin;
\set alone
\ir ../_helpers.sql
select plan(5);

-- A session lock taken twice must be dropped twice: the bell would ring for a sleeper who is awake.
select given_model() from generate_series(1, 8) \g /dev/null
select given_worker() as w \gset
create function bells() returns int language sql
as $$ select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and mode = 'ExclusiveLock'
      and classid = sluice.lock_class('bell') $$;
select bells as held from sluice.take_bells(:w, '{}', at(0)) \gset
select is(bells(), 8, 'eight models, eight bells');
select results_eq(format('select bells, complete from sluice.take_bells(%s, %L, at(0))', :w, :'held'),
  format('values (%L::int[], true)', :'held'), 'once more, with those it holds already');
select sluice.drop_bells(:'held');
select is(bells(), 0, 'dropped once, all are free');
select is((select cardinality(bells) from sluice.take_bells(:w, null, at(0))), 8, 'null stands for none held');
select sluice.drop_bells(:'held');
select is(bells(), 0, 'and all are free again');

select * from finish();
rollback;
