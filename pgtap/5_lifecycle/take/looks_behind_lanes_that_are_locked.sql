-- sluice.free_rank; tests/isolation/specs/locked_lanes.spec has the locks
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m, given_worker() as w \gset
select is(sluice.free_rank(id_of(:'m'), 100::smallint, at(1)), null, 'nothing waits');
select given_task(:'m', priority => p) from unnest(array[3, 9, -2]) p \g /dev/null
select is(sluice.free_rank(id_of(:'m'), 100::smallint, at(1)), -9::smallint, 'the best rank');
select claimed(:w, 2) \g /dev/null
select is(sluice.free_rank(id_of(:'m'), 100::smallint, at(1)), 2::smallint,
  'of what has not been taken');

select * from finish();
rollback;
