-- sluice.job_step
begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(3);

select given_model() as m \gset
select given_tasks(:'m', 3, at(1)) \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(2)) as job \gset
-- as when no sample had met any of them
update sluice.job set matched = 0, is_estimate = true where id = :job;
select ok(bool_and(j.matched = j.done), 'an estimate grows with what was done')
from generate_series(1, 5) n, lateral stepped(:job, 1 + 0 * n) j;
select is((stepped(:job)).matched, 3::bigint, 'to all that was');
select sluice.start_job('cancel', jsonb_build_object('model', :'m', 'status', 'queued'),
  p_now => at(200)) as none \gset
select is((stepped(:none)).matched, 0::bigint, 'none stays none');

select * from finish();
rollback;
