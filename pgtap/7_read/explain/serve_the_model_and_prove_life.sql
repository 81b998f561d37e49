begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m, given_model() as n \gset
select given_worker(array[:'m']) as w, given_worker(array[:'n']) as other,
  given_worker(array[:'m'], at(-100)) as silent,
  given_worker(array[:'m']) as mute, given_worker(array[:'m']) as dead \gset
select sluice.worker_speaks(:mute, '{openai-chat}'),
  sluice.unregister_worker(:dead, at(0)) \g /dev/null
select is(sluice.live_workers(model_row(:'m'), at(1)), array[:w]::bigint[], 'one of five');

select * from finish();
rollback;
