-- sluice.drop_job_parts
begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(5);

select given_model() as m \gset
select given_tasks(:'m', 1) \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
insert into sluice.job_part (job, n, tasks) select :job, n, '{}' from generate_series(1, 120) n;
select is(sluice.drop_job_parts(:job), true, 'it had some');
select is((select count(*) from sluice.job_part where job = :job), 20::bigint, 'a hundred went');
select is(sluice.drop_job_parts(:job), true, 'and the rest');
select is((select count(*) from sluice.job_part where job = :job), 0::bigint, 'at the next time');
select is(sluice.drop_job_parts(:job), false, 'then there are none');

select * from finish();
rollback;
