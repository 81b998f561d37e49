begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(13);

select given_model() as m \gset
select given_tasks(:'m', 3) \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(0)) as job \gset
select stepped(:job, p_now => at(10)) \g /dev/null
select is((job_of(:job)).undo_until, at(10) + sluice.undo_time(), 'from its end on');
select is((select count(*) from sluice.job_part), 1::bigint, 'in a row a step');
select ok(not sluice.has_old_jobs(at(20)), 'it is not old');
select is(sluice.drop_old_jobs(at(20)), false, 'so nothing goes');
select ok(sluice.has_old_jobs(at(10) + interval '25 hours'), 'a day later it is');
select is(sluice.drop_old_jobs(at(10) + interval '25 hours'), true, 'and is dropped');
select is_empty('select from sluice.job_part', 'what undoing needs');
select ok(not sluice.can_undo(job_of(:job), at(10) + interval '25 hours'), 'which is over');
select is(sluice.drop_old_jobs(at(10) + interval '25 hours'), true, 'its time is noted');
select is((job_of(:job)).undo_until, null, 'as over');
select is(sluice.drop_old_jobs(at(10) + interval '25 hours'), false, 'the job is kept');
select is(sluice.drop_old_jobs(at(10) + interval '31 days'), true, 'for a month');
select is_empty('select from sluice.job', 'and goes');

select * from finish();
rollback;
