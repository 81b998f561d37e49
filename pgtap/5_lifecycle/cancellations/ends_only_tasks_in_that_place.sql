-- sluice.end_waiting, sluice.take_waiting
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select array[given_task(:'m'), given_task(:'m'), given_task(:'m', run_at => at(50)),
  given_task(:'m', run_at => at(50))] as ids \gset
select sluice.end_waiting('queue_' || id_of(:'m'), (:'ids'::bigint[])[2:3], 'expired',
  at(1)) as ended \gset
select is(:ended, 1, 'one of the two is in the queue');
select is(array(select places(id) from unnest(:'ids'::bigint[]) id),
  array['queue', 'expired', 'later', 'later'], 'it ends');
select results_eq(format('select error_code, error, queued_at, finished_at, created_at '
                         'from sluice.result where task_id = %s',
  (:'ids'::bigint[])[2]),
  $$values ('deadline'::text, 'the deadline passed before a worker could start it'::text, at(0),
    at(1), at(0))$$, 'and says why');
select is(sluice.end_waiting('later', (:'ids'::bigint[])[3:4], 'cancelled', at(1)), 2,
  'the same of what waits for its time');
select is((select (error_code, error) from sluice.result where task_id = (:'ids'::bigint[])[3]),
  row('cancelled'::text, 'cancelled before it had an outcome'::text), 'its result says how');

select given_task(:'m') as one \gset
select is((select (r.task_id, r.ready_at) from unnest(sluice.take_waiting(
  'queue_' || id_of(:'m'), array[:one, :one + 1]::bigint[])) r), (:one::bigint, at(0)),
  'who takes one out gets its row');
select is(sluice.take_waiting('later', array[:one]::bigint[]), null, 'or none');

select * from finish();
rollback;
