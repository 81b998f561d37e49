-- sluice.advance_job, sluice.undo_job
begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(8);

create or replace function sluice.job_step_time() returns interval language sql immutable
as $$ select interval '-1 s' $$;
create or replace function sluice.job_page_tasks() returns int language sql immutable
as $$ select 2 $$;
select given_model() as m \gset
select given_failed(:'m', 8) \g /dev/null
select sluice.create_key(k, sha256(convert_to(k, 'UTF8')), k, null, '{submit}')
from unnest('{00000000000000a1,00000000000000a2}'::text[]) k \g /dev/null
select set_config('sluice.api_key', '00000000000000a1', true) \g /dev/null
select sluice.start_job('redrive', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
select is((stepped(:job, p_now => at(11))).state, 'done', 'a job that a key has started');

select set_config('sluice.api_key', '00000000000000a2', true) \g /dev/null
select sluice.undo_job(:job, at(12)) \g /dev/null
select set_config('sluice.api_key', '', true) \g /dev/null
select sluice.revoke_key('00000000000000a1') \g /dev/null
select is((stepped(:job, 1, at(13))).state, 'undoing', 'is undone by another, also once revoked');
select is((job_of(:job)).undone, 2::bigint, 'part by part');
select sluice.revoke_key('00000000000000a2') \g /dev/null
select is((stepped(:job, 1, at(14))).state, 'cancelled', 'until that key is revoked');
select is((job_of(:job)).error, 'the key that undid it was revoked', 'it says so');
select is((job_of(:job)).undone, 2::bigint, 'with the rest left alone');

select sluice.undo_job(:job, at(15)) \g /dev/null
select is((stepped(:job, p_now => at(16))).state, 'undone', 'an administrator goes on');
select is((job_of(:job)).undone, 8::bigint, 'to the end');

select * from finish();
rollback;
