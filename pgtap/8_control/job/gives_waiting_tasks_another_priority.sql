begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(10);

select given_model() as m \gset
select given_tenant() as modest \gset
update sluice.tenants set max_priority = 10 where name = :'modest';
select given_task(:'m', p_now => at(1)) as first \gset
select given_task(:'m', 20, p_now => at(2)) as second \gset
select given_task(:'m', p_now => at(3), tenant => :'modest') as third \gset
select given_task(:'m', p_now => at(4), run_at => at(1000)) as later \gset
select given_mark(:'m', at(50), -50);
select sluice.start_job('prioritise', jsonb_build_object('model', :'m'), priority => 50,
  p_now => at(60)) as job \gset
select results_eq(format('select done, skipped from stepped(%s)', :job),
  'values (3::bigint, 1::bigint)', 'all but those of a tenant with a lower bound');
select is(queued(:'m'), array[:first, :second, :third]::bigint[], 'in the order of their age');
select cmp_ok(marked(:'m', -50), '<=', at(1), 'below no mark');
select is((select array_agg(priority order by id) from sluice.task where id in (:first, :second,
  :third, :later)), array[50, 50, 0, 50]::smallint[], 'a task knows its priority');
select is((select rank from sluice.later where task_id = :later), -50::smallint,
  'also one whose time is to come');
select sluice.undo_job(:job, at(101)) \g /dev/null
select is((stepped(:job)).undone, 3::bigint, 'it is undone');
select is((select array_agg(priority order by id) from sluice.task where id in (:first, :second,
  :third, :later)), array[0, 20, 0, 0]::smallint[], 'each has its own again');
select is(queued(:'m'), array[:second, :first, :third]::bigint[], 'and its turn');
select is((error_of(format($$select sluice.start_job('prioritise', '{"tenant": "%s"}',
  priority => 50)$$, :'modest'))).code, 'SL004', 'a tenant''s bound holds');
select is((error_of($$select sluice.start_job('prioritise', '{"everything": true}',
  priority => 101)$$)).code, 'SL004', 'a priority is at most 100');

select * from finish();
rollback;
