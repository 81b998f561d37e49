begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(5);

select given_model() as a, given_model() as b \gset
select given_task(:'a') as task \gset
select sluice.start_job('move', jsonb_build_object('model', :'a'), target => :'b', p_now => at(1))
  as job \gset
delete from sluice.models where name = :'b';
select results_eq(format('select state, done from stepped(%s)', :job),
  $$values ('failed', 0::bigint)$$, 'it fails');
select matches((job_of(:job)).error, 'no model or route', 'and says why');
select is(places(:task), 'queue', 'its tasks wait where they were');

select sluice.start_job('cancel', jsonb_build_object('model', :'a'), p_now => at(2)) as job \gset
update sluice.job set position = '{"places": 1}' where id = :job;
select results_eq(format('select state, failures, look_at from stepped(%s, 1)', :job),
  format($$values ('running', 1, %L::timestamptz)$$, at(101)), 'another step is tried again');
select is((stepped(:job)).state, 'failed', 'not for ever');

select * from finish();
rollback;
