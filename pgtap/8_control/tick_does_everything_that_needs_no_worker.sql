begin;
\set alone
\ir ../_helpers.sql
select plan(5);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_worker(p_now => at(0)) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 1) \g /dev/null
select given_task(:'m', run_at => at(50)) as later \gset
select given_mark(:'m', at(10));
select sluice.set_counter('claimed', id_of(:'m'), 1000);
select given_task(:'m', deadline => at(50)) as late \gset
insert into sluice.cancellation (task_id, worker, at, fence) values (:late, :w, at(1), 9);
select setval('sluice.retain_after', 0, false) \g /dev/null
select is(sluice.tick(at(100)),
  '{"expired": 1, "cancelled": 1, "recovered": 0, "woken": 1, "swept": 1, '
  '"dropped": 0, "erased": 0}', 'the first');
select is(sluice.in_flight(id_of(:'m')), 1::bigint, 'it counted the calls in flight');
select is(places(:later), 'queue', 'and admitted what was due');
select is(sluice.tick(at(200)),
  '{"expired": 0, "cancelled": 0, "recovered": 1, "woken": 0, "swept": 0, '
  '"dropped": 0, "erased": 0}', 'the second recovers');
select sluice.tick(at(90000)) \g /dev/null
select is((select count(*) from sluice.worker where id = :w), 0::bigint,
  'and a day later the dead worker is forgotten');

select * from finish();
rollback;
