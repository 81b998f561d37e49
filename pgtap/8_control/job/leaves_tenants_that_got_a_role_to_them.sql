begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(4);

select given_model() as m \gset
create role anybody_jobs in role sluice_submitter;
select given_task(:'m', tenant => 'loose') as loose \gset
set local role anybody_jobs;
select sluice.start_job('cancel', jsonb_build_object('model', :'m')) as done \gset
reset role;
select is((stepped(:done)).done, 1::bigint, 'while it has no role its tasks are acted on');
select given_task(:'m', tenant => 'loose') as waiting \gset
set local role anybody_jobs;
select sluice.start_job('cancel', jsonb_build_object('model', :'m')) as job \gset
reset role;
select given_tenant('sluice_submitter') as t \gset
update sluice.task set tenant = :'t' where id in (:loose, :waiting);
update sluice.queue set tenant = :'t' where task_id = :waiting;
select is((job_of(:job)).scope, 'without_role', 'who is nobody''s acts for tenants without a role');
select is((stepped(:job)).done, 0::bigint, 'as they are when the step is made');
select sluice.undo_job(:done, at(101)) \g /dev/null
select is((stepped(:done, p_now => at(102))).undone, 0::bigint, 'or what was done is undone');

select * from finish();
rollback;
