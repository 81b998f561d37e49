begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_task(:'m', run_at => at(10)) as early \gset
select given_task(:'m', run_at => at(20)) as late \gset
select is(sluice.wake(at(9.9)), 0, 'nothing before its time');
select is(sluice.wake(at(15)), 1, 'one has come');
select is(array[places(:early), places(:late)], array['queue', 'later'], 'it is in its line');
select is((select ready_at from sluice.queue where task_id = :early), at(15),
  'ready from now on: no mark can be above it');
select is(sluice.wake(at(15)), 0, 'once');

select * from finish();
rollback;
