begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(15);

select given_model() as m \gset
select given_failed(:'m', 3) as ids \gset
create temporary table was as
  select to_jsonb(r) - 'stored_by' as result from sluice.result r where r.task_id = any (:'ids');
select (:'ids'::bigint[])[1] as first \gset
select sluice.start_job('redrive', jsonb_build_object('model', :'m'), dry_run => true,
  p_now => at(10)) as preview \gset
select is(:preview, 3, 'a preview counts them');
select is_empty('select from sluice.job', 'and starts nothing');
select sluice.start_job('redrive', jsonb_build_object('model', :'m'), p_now => at(10)) as job \gset
select results_eq(format('select matched, state from job_of(%s)', :job),
  $$values (3::bigint, 'running')$$, 'it has begun');
select is(places(:first), 'failed', 'and has changed nothing yet');
select is((stepped(:job)).done, 3::bigint, 'all are redriven');
select is((job_of(:job)).state, 'done', 'and it has ended');
select is(places(:first), 'queue', 'they wait');
select is((sluice.undo_job(:job, at(101))), 'undoing', 'it can be undone');
select is((stepped(:job)).state, 'undone', 'and is');
select is((job_of(:job)).undone, 3::bigint, 'all of it');
select bag_eq(format($$select to_jsonb(r) - 'stored_by' from sluice.result r
  where task_id = any (%L)$$, :'ids'), 'select * from was', 'each ends again as it had ended');
select is_empty(format($$select from sluice.attempt where task_id = any (%L)
  and kind = 'redriven'$$, :'ids'), 'as if nothing had been');
select is_empty('select from sluice.job_part', 'what that needed is gone');
select is((error_of(format('select sluice.undo_job(%s, at(102))', :job))).code, 'SL004',
  'it is undone once');
select is((error_of('select sluice.undo_job(0)')).code, 'SL006', 'there is no such job');

select * from finish();
rollback;
