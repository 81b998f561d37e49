begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select ids[1] as runs from claimed(:w, 1) ids \gset
select task_id as waits from sluice.queue where task_id <> :runs and model = id_of(:'m') \gset
select is(sluice.request_abort(:waits, at(1)), null, 'no worker has it');
select is(sluice.request_abort(:runs, at(1)), 'processing', 'a worker has it');
select is(sluice.request_abort(:runs, at(2)), 'processing', 'twice');
select results_eq(format('select at, fence from sluice.cancellation where task_id = %s', :runs),
  'values (at(1), 1)', 'one wish about this call');
select is(places(:runs), 'lease', 'which goes on');

select * from finish();
rollback;
