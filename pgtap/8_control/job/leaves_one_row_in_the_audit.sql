begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(4);

select given_model() as m \gset
select given_tasks(:'m', 3) \g /dev/null
select set_config('sluice.api_key', '', true) \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(5)) as job \gset
select stepped(:job) \g /dev/null
delete from sluice.audit where action not like '%job';
select results_eq('select action, object, who = session_user from sluice.audit_log',
  format('values (''start_job'', %L, true)', :job),
  'whoever started it, and no row a step');
select is((select detail ->> 'matched' from sluice.audit), '3', 'over how many tasks');
select sluice.undo_job(:job, at(101)), sluice.cancel_job(:job, at(102)) \g /dev/null
select results_eq('select action from sluice.audit order by id',
  array['start_job', 'undo_job', 'cancel_job'], 'an undoing and a cancel are noted, too');
select sluice.cancel_job(:job, at(103)) \g /dev/null
select is((select count(*) from sluice.audit), 3::bigint, 'one that changes nothing is not');

select * from finish();
rollback;
