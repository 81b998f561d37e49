begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select sluice.count_unfinished('system', null) as before \gset
select given_tasks(:'m', 3) \g /dev/null
select claimed(:w, 1) as done \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told((:'done'::bigint[])[1], 'solved')) \g /dev/null
select given_task(:'m', run_at => at(100), tenant => :'m') \g /dev/null
select is(sluice.count_unfinished('model', id_of(:'m')::text), 3::bigint,
  'of the model: queue, lease and backlog, not the results');
select is(sluice.count_unfinished('tenant', :'m'), 1::bigint, 'of a tenant');
select is(sluice.count_unfinished('system', null) - :before, 3::bigint, 'of the system');

select * from finish();
rollback;
