begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(5);

select given_tenant('sluice_submitter') as t \gset
set local role :"t";
select sluice.start_job('cancel', '{"everything": true}') from generate_series(1, 2) \g /dev/null
select code, hint from error_of($$select sluice.start_job('cancel', '{"everything": true}')$$) \gset
reset role;
select is(:'code'::text, 'SL003', 'a tenant has two');
select matches(:'hint'::text, 'Wait', 'the hint says what to do');
select lives_ok($$select sluice.start_job('cancel', '{"everything": true}')
  from generate_series(1, 10)$$, 'others do not wait for them');
select is((error_of($$select sluice.start_job('cancel', '{"everything": true}')$$)).code, 'SL003',
  'and have ten');
select stepped(j.id) from sluice.job j \g /dev/null
select lives_ok($$select sluice.start_job('cancel', '{"everything": true}')$$,
  'those that have ended do not count');

select * from finish();
rollback;
