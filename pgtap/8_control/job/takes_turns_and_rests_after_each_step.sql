\set alone
begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(9);

create or replace function sluice.job_step_time() returns interval language sql immutable
as $$ select interval '-1 s' $$;
select given_model() as m \gset
select given_tasks(:'m', 10) \g /dev/null
select setval('sluice.jobs_after', 0) \g /dev/null
select is(sluice.advance_jobs(at(0)), null, 'no job is open');
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(1)) as a \gset
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(1)) as b \gset
select sluice.advance_jobs(at(2)) as rest \gset
select extract(epoch from sluice.from_micros(pg_sequence_last_value('sluice.jobs_after'::regclass))
  - at(2)) * 1000 as step_and_rest_ms \gset
select cmp_ok(abs(:rest - :step_and_rest_ms * 5 / 6), '<=', 1.0,
  'the next one is due after a rest five times as long');
select cmp_ok(:step_and_rest_ms, '>', 0.0, 'whoever makes it');
select is(sluice.advance_jobs(at(2)), 1000, 'and not before');
select sluice.advance_jobs(at(10)) \g /dev/null
select is((select count(*) from sluice.job where started_at is not null), 2::bigint,
  'jobs take turns');
select setval('sluice.jobs_after', sluice.micros(at(100000))) \g /dev/null
select isnt(sluice.advance_jobs(at(11)), 1000, 'a clock that was set back is no reason to wait');
select count(sluice.advance_jobs(at(n))) from generate_series(100, 1000, 10) n \g /dev/null
select is((select count(*) from sluice.job where state = 'done'), 2::bigint, 'both end');
select is(sluice.advance_jobs(at(2000)), null, 'then there is none');
select is(current_setting('synchronous_commit'), 'off',
  'a crash undoes what is done again, so no commit waits for the disk');

select * from finish();
rollback;
