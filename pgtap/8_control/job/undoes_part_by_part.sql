begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(12);

create or replace function sluice.job_step_time() returns interval language sql immutable
as $$ select interval '-1 s' $$;
create or replace function sluice.job_page_tasks() returns int language sql immutable
as $$ select 2 $$;
select given_model() as m \gset
select given_failed(:'m', 5) as ids \gset
select (:'ids'::bigint[])[5] as last \gset
select sluice.start_job('redrive', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
select is((stepped(:job, p_now => at(11))).parts, 3, 'three parts');
select is((job_of(:job)).undo_until, at(11) + sluice.undo_time(), 'kept for a day');
select tasks from sluice.job_part where job = :job and n = 3 \gset
select results_eq(format('select place from sluice.left_places(job_of(%s), %L) order by 1', :job,
  :'tasks'), array['later', 'queue_' || id_of(:'m')], 'where its tasks may be');
select is(sluice.end_again('later', :'tasks'), 0, 'there it is not');
select is(sluice.undo_part(job_of(:job), :'tasks', at(12)), 1, 'the last part is one task');
select is(sluice.undo_part(job_of(:job), :'tasks', at(13)), 0, 'once');
select sluice.undo_job(:job, at(14)) \g /dev/null
select sluice.undo_step(job_of(:job), at(15)) \g /dev/null
select is((select max(n) from sluice.job_part where job = :job), 2, 'a part goes as it is undone');
select sluice.undo_step(job_of(:job), at(16)) \g /dev/null
select is((job_of(:job)).undone, 2::bigint, 'the next one is counted');
select is(sluice.cancel_job(:job, at(17)), 'cancelled', 'an undoing can be stopped');
select ok(sluice.can_undo(job_of(:job), at(18)), 'and taken up again');
select is(sluice.cancelled_by(job_of(:job), :'ids'), '{}', 'none of them is cancelled');
select sluice.end_job(:job, 'undone', at(19)) \g /dev/null
select ok(not sluice.can_undo(job_of(:job), at(20)), 'until all is undone');

select * from finish();
rollback;
