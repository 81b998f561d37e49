begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(p_now => at(0)) as w \gset
select given_worker(p_now => at(0)) as judge \gset
select given_tasks(:'m', 2) \g /dev/null
select ids[1] as a, ids[2] as b from claimed(:w, 2) ids \gset
select sluice.heartbeat(:judge, at(10)), sluice.heartbeat(:judge, at(20)) \g /dev/null
select sluice.recover(:judge, at(20)) \g /dev/null
select results_eq(format('select * from sluice.heartbeat(%s, at(21)) order by 1', :w),
  format('values (%s::bigint, 1), (%s, 1)', :a, :b), 'those that are no longer its own');
select is((select dead_at from sluice.worker where id = :w), at(20), 'a dead worker stays dead');

select * from finish();
rollback;
