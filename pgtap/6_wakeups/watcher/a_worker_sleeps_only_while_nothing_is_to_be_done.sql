begin;
\set alone
\ir ../../_helpers.sql
select plan(11);

select given_model() as m \gset
select given_worker(p_now => at(0)) as w, given_worker(p_now => at(0)) as other \gset
select results_eq(format('select asleep, wake_in_ms > 300000000000 '
                         'from sluice.fall_asleep(%s, at(60))', :w), 'values (true, true)',
  'nothing waits');
select sluice.heartbeat(:other, at(100)) \g /dev/null
select sluice.heartbeat(:other, at(110)) \g /dev/null
select sluice.recover(:other, at(120)) \g /dev/null
select is((select dead_at from sluice.worker where id = :w), null,
  'until its next look nobody expects a beat');

select sluice.heartbeat(:w, at(121)) \g /dev/null
select results_eq(format('select seen, beating_since from sluice.worker where id = %s', :w),
  'values (at(121), at(120))', 'it beats anew: who has slept does not judge yet');

select sluice.submit('x', :'m', run_at => at(199), deadline => at(200),
  p_now => at(130)) as later \gset
select given_wait(at(300), :later) \g /dev/null
select is((sluice.fall_asleep(:w, at(140))).asleep, false, 'its line may have work');
select sluice.forget_idle_lines(at(150)) \g /dev/null
select results_eq(format('select * from sluice.fall_asleep(%s, at(160))', :w),
  'values (true, 40000::bigint)', 'until the deadline');
select is((sluice.fall_asleep(:w, at(300))).asleep, false, 'it is due');
select sluice.cancel(:later, at(300)) \g /dev/null

select sluice.submit('x', :'m', run_at => 'infinity', p_now => at(301)) as never \gset
select sluice.forget_idle_lines(at(320)) \g /dev/null
select is((sluice.fall_asleep(:w, at(321))).asleep, true, 'a time that never comes wakes nobody');
select sluice.cancel(:never, at(321)) \g /dev/null

select given_task(:'m') \g /dev/null
select sluice.heartbeat(:w, at(301)) \g /dev/null
select is(cardinality(claimed(:w, 1, at(302))), 1, 'a task is under way');
delete from sluice.ready_line;
select is((sluice.fall_asleep(:other, at(310))).asleep, false, 'a call of anybody keeps all awake');
select sluice.unregister_worker(:w, at(311)) \g /dev/null
delete from sluice.ready_line;
select is((sluice.fall_asleep(:w, at(312))).asleep, false, 'who is dead does not sleep');
select sluice.fall_asleep(:other, at(320)) \g /dev/null
select sluice.recover(null, at(390)), sluice.recover(null, at(396)),
  sluice.recover(null, at(412)) \g /dev/null
select is((select dead_at from sluice.worker where id = :other), at(412),
  'who does not look again is dead after a time-out');

select * from finish();
rollback;
