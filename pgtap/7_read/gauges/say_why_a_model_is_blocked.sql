begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as parked, given_model() as paused, given_model() as served \gset
update sluice.worker set dead_at = now();
select given_worker(array[:'served'], clock_timestamp()) \g /dev/null
select sluice.close_model(:'parked', 'infinity', 'no key') \g /dev/null
select sluice.pause(:'paused') \g /dev/null
select results_eq(format('select blocked, no_worker from sluice.queue_gauges() where model in (%L, '
                         '%L, %L) order by id_of(model)',
    :'parked', :'paused', :'served'), $$values ('parked', true), ('paused', true), (null, false)$$,
      'parked, paused, served');

select given_route(:'parked') as r \gset
select given_task(:'parked', p_now => clock_timestamp()) \g /dev/null
select is((select queued from sluice.queue_gauges() where model = :'parked'), 1,
  'what waits in its line');
select given_task(:'r', p_now => clock_timestamp() - interval '1 hour') \g /dev/null
select ok((select oldest_ready_s between 3600 and 3660 from sluice.queue_gauges()
  where model = :'parked'), 'what waits in its route has an age, too');

select * from finish();
rollback;
