begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_task(:'m', run_at => at(10)) as early \gset
select given_task(:'m', run_at => at(20)) as late \gset
select is(sluice.wake_later(at(9.9)), 0, 'nothing before its time');
select is(sluice.wake_later(at(15)), 1, 'one has come');
select results_eq(format('select task_id, due, ready_at from sluice.backlog where task_id in (%s, %s) order by 1', :early, :late),
  format('values (%s::bigint, true, at(15)), (%s, false, at(20))', :early, :late),
  'it is ready from now on: no mark can be above it');
select is(sluice.wake_later(at(15)), 0, 'once');

select * from finish();
rollback;
