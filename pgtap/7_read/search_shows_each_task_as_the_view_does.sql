begin;
\ir ../_helpers.sql
select plan(3);

select given_tenant('sluice_submitter') as a \gset
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select sluice.submit('x', :'m', 3, :'a', metadata => '{"a": 1}', p_now => at(0)) as solved,
  sluice.submit('x', :'m', 2, :'a', p_now => at(0)) as failed,
  sluice.submit('x', :'m', 1, :'a', p_now => at(0)) as processing,
  sluice.submit('x', :'m', 0, :'a', p_now => at(0)) as queued,
  sluice.submit('x', :'m', 0, :'a', run_at => at(900), p_now => at(0)) as unsolved \gset
select claimed(:w, 3, at(1)) \g /dev/null
select completed(:w, told(:solved, 'solved', input_tokens => 7)),
  completed(:w, told(:failed, 'failed', error => 'no', error_code => 'http_400')) \g /dev/null
set local role :"a";
select bag_eq('select id, status, route, model, tenant, priority, attempts, error_code, error,
    batch_id, metadata, created_at, queued_at, started_at, finished_at, run_at, deadline, cost,
    input_tokens, output_tokens from sluice.find_tasks()',
  'select id, status, route, model, tenant, priority, attempts, error_code, error, batch_id,
    metadata, created_at, queued_at, started_at, finished_at, run_at, deadline, cost,
    input_tokens, output_tokens from sluice.tasks', 'in each state');
reset role;
select is(array(select id from sluice.found_tasks(array[:queued, :solved]::bigint[])),
  array[:queued, :solved]::bigint[], 'in the order of the ids');
select is_empty('select * from sluice.found_tasks(array[-1])', 'none that there is not');

select * from finish();
rollback;
