begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(8);

create or replace function sluice.job_step_time() returns interval language sql immutable
as $$ select interval '0' $$;  -- one page
select given_model() as m \gset
select given_tasks(:'m', 3) \g /dev/null
select j.id as job from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null,
  'x', at(1)) n, sluice.store_job(n) j \gset
select is((sluice.require_job(:job, 'x')).id, :job::bigint, 'a key of its tenant may see it');
select is((error_of(format('select sluice.require_job(%s, ''y'')', :job))).code, 'SL006',
  'another one may not');
select sluice.job_step(job_of(:job), at(2)) \g /dev/null
select is((job_of(:job)).state, 'running', 'a step does not end it');
select is(sluice.cancel_job(:job, at(2)), 'cancelled', 'a cancel does');
select j.id as job from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null,
  null, at(1)) n, sluice.store_job(n) j \gset
update sluice.job set state = 'cancelling' where id = :job;  -- as the last release did
select sluice.advance_job(job_of(:job), at(2)) \g /dev/null
select is((job_of(:job)).state, 'cancelled', 'so does one that was to end after a step');
select is((job_of(:job)).done, 0::bigint, 'with nothing done');
select is(sluice.cancel_job(:job, at(3)), 'cancelled', 'then a cancel changes nothing');
select is((error_of(format('select sluice.undo_job(%s, at(4))', :job))).code, 'SL004',
  'and there is nothing to undo');

select * from finish();
rollback;
