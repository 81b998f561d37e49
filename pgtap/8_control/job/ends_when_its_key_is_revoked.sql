-- sluice.advance_job
begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(5);

select given_model() as m \gset
select given_failed(:'m', 120) \g /dev/null
select sluice.create_key('00000000000000aa', sha256('x'), 'k', null, '{submit}') \g /dev/null
select set_config('sluice.api_key', '00000000000000aa', true) \g /dev/null
create function job_of_key(p_model text) returns bigint language sql
as $$ select sluice.start_job('redrive', jsonb_build_object('model', p_model), p_now => at(50)) $$;
select job_of_key(:'m') as job \gset
select set_config('sluice.api_key', '', true) \g /dev/null
select sluice.start_job('forget', jsonb_build_object('model', :'m'), p_now => at(50)) as other \gset
select is((stepped(:job, 1)).state, 'running', 'a job of a key that is in force');
select sluice.revoke_key('00000000000000aa') \g /dev/null
select is((stepped(:job, 1)).state, 'cancelled', 'ends with its key');
select is((job_of(:job)).error, 'the key that started it was revoked', 'and says so');
select cmp_ok((job_of(:job)).done, '<', 120::bigint, 'with the rest left alone');
select is((stepped(:other)).state, 'done', 'others go on');

select * from finish();
rollback;
