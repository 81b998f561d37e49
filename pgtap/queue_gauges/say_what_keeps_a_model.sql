begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() as parked, given_model() as paused, given_model() as served \gset
update sluice.worker set dead_at = now();
select given_worker(array[:'served'], clock_timestamp()) \g /dev/null
select sluice.close_model(:'parked', 'infinity', 'no key') \g /dev/null
select sluice.pause(:'paused') \g /dev/null
select results_eq(format('select blocked, no_worker from sluice.queue_gauges() where model in (%L, %L, %L) order by id_of(model)',
    :'parked', :'paused', :'served'), $$values ('parked', true), ('paused', true), (null, false)$$, 'parked, paused, served');

-- A parked model's queue is not filled: its tasks wait in the backlog.
update sluice.models set max_queue = 1 where name = :'parked';
select given_task(:'parked', p_now => clock_timestamp() - interval '1 hour') from generate_series(1, 3) \g /dev/null
select is((select queued from sluice.queue_gauges() where model = :'parked'), 1, 'one has found room');
delete from sluice.queue where model = id_of(:'parked');
select ok((select oldest_ready_s between 3600 and 3660 from sluice.queue_gauges() where model = :'parked'),
  'what waits in the backlog has an age, too');

select * from finish();
rollback;
