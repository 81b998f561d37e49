begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(12);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_task(:'m', tenant => :'a') as own, given_task(:'m', tenant => :'b') as foreign \gset
set local role :"a";
select sluice.start_job('cancel', jsonb_build_object('model', :'m')) as job \gset
select is((error_of(format('select sluice.start_job(''cancel'', ''{"tenant": "%s"}'')',
  :'b'))).code, 'SL009', 'it may not name another');
reset role;
select results_eq(format('select matched, scope, tenants from job_of(%s)', :job),
  format('values (1::bigint, ''tenants'', array[%L])', :'a'), 'its own tasks are meant');
select is((stepped(:job)).done, 1::bigint, 'also when a worker makes the step');
select is(array[places(:own), places(:foreign)], array['cancelled', 'queue'], 'and no other''s');
set local role :"b";
select is_empty('select from sluice.jobs', 'another tenant does not see it');
select is((error_of(format('select sluice.cancel_job(%s)', :job))).code, 'SL006', 'nor cancels it');
select is((error_of(format('select sluice.undo_job(%s)', :job))).code, 'SL006', 'nor undoes it');
set local role :"a";
select results_eq('select id, who = session_user from sluice.jobs',
  format('values (%s::bigint, true)', :job), 'its caller does');
reset role;
select sluice.start_job('cancel', jsonb_build_object('model', :'m')) as all \gset
set local role :"a";
select results_eq('select id from sluice.jobs', array[:job]::bigint[],
  'but none of who acts for everybody');
reset role;
select is((stepped(:all)).done, 1::bigint, 'that one ends all');
select results_eq('select id from sluice.jobs order by id', array[:job, :all]::bigint[],
  'an administrator sees both');
set local role :"a";
set local sluice.api_key = '0123456789abcdef';
select sluice.start_job('cancel', jsonb_build_object('model', :'m')) as named \gset
select is((select who from sluice.jobs where id = :named), session_user::text,
  'a key that a tenant names is not believed');

select * from finish();
rollback;
