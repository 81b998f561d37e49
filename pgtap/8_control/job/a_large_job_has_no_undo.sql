begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(4);

create or replace function sluice.undo_tasks_max() returns bigint language sql immutable
as $$ select 300 $$;
create or replace function sluice.job_step_time() returns interval language sql immutable
as $$ select interval '-1 s' $$;
select given_model() as m \gset
select given_tasks(:'m', 600) \g /dev/null
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(0)) as job \gset
select is((stepped(:job)).done, 600::bigint, 'it goes on');
select is_empty('select from sluice.job_part', 'and keeps nothing');
select ok(not sluice.can_undo(job_of(:job), at(101)), 'it cannot be undone');
select matches((error_of(format('select sluice.undo_job(%s)', :job))).hint, '300 tasks',
  'the hint says why');

select * from finish();
rollback;
