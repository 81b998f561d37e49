begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(9);

-- A step ends with its page.
create or replace function sluice.job_step_time() returns interval language sql immutable
as $$ select interval '-1 s' $$;
select given_model() as m \gset
select given_tasks(:'m', 600) as ids \gset
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(1)) as job \gset
select given_task(:'m', p_now => at(2)) as later \gset
-- steps: until so many tasks are done.
create function steps(p_job bigint, p_least bigint) returns bigint language plpgsql
as $$
begin
  for n in 1 .. 100 loop
    exit when (stepped(p_job, 1)).done >= p_least or (job_of(p_job)).finished_at is not null;
  end loop;
  return (job_of(p_job)).done;
end
$$;
select is(steps(:job, 1), sluice.job_page_tasks()::bigint, 'a page');
select is((select count(*) from sluice.result where model = :'m'),
  sluice.job_page_tasks()::bigint, 'of tasks');
select is(sluice.cancel_job(:job, at(3)), 'cancelled', 'it is cancelled half-way');
select is((stepped(:job)).done, sluice.job_page_tasks()::bigint, 'and makes no other step');
select ok(sluice.can_undo(job_of(:job), at(4)), 'what it did can be undone');
select sluice.undo_job(:job, at(5)) \g /dev/null
select is((stepped(:job)).undone, sluice.job_page_tasks()::bigint, 'and is');
select is(cardinality(queued(:'m')), 601, 'all wait again');
select sluice.start_job('cancel', jsonb_build_object('model', :'m', 'until', at(1)),
  p_now => at(6)) as job \gset
select is((stepped(:job)).done, 600::bigint, 'each is acted on once');
select is(places(:later), 'queue', 'and the one that came later stays');

select * from finish();
rollback;
