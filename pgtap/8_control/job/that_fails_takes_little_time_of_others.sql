\set alone
begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(8);
-- sluice.store_job, sluice.job_pause, sluice.advance_jobs

select given_model() as m \gset
select given_task(:'m', tenant => t) from unnest(array['a', 'b']) t \g /dev/null

-- started: a job of a tenant's key.
create function started(p_tenant text, p_now timestamptz) returns bigint language sql
as $$
  select (sluice.store_job(sluice.new_job('cancel', '{"everything": true}', null, null, p_tenant,
    p_now))).id
$$;

create or replace function sluice.job_step(p_job sluice.job, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform pg_sleep(0.01);
  raise lock_not_available;
end
$$;
set local client_min_messages = error;
select setval('sluice.jobs_after', 0) \g /dev/null
select started('a', at(1)) as job \gset
select sluice.advance_jobs(at(2)) as rest \gset
select extract(epoch from sluice.from_micros(pg_sequence_last_value('sluice.jobs_after'::regclass))
  - at(2)) * 1000 as step_and_rest_ms \gset
select cmp_ok(abs(:rest - :step_and_rest_ms / 2), '<=', 1.0,
  'a step that waits for a lock in vain is followed by a rest as long');
update sluice.job set failures = 9, look_at = at(12), state = 'cancelled', finished_at = at(3)
where id = :job;
-- new_pause: the pause of a new job of a tenant, which then ends.
create function new_pause(p_tenant text, p_now timestamptz) returns timestamptz language plpgsql
as $$
declare
  v_job sluice.job := job_of(started(p_tenant, p_now));
begin
  update sluice.job set state = 'done', failures = 0, finished_at = p_now where id = v_job.id;
  return v_job.look_at;
end
$$;
select is(new_pause('a', at(4)), at(12),
  'a tenant''s new job has the pause of the one that failed');
select is((select failures from sluice.job_pause(job_of(:job), at(4))), 9,
  'and goes on from there');
select is(new_pause('a', at(1)), at(11), 'ten seconds at most, also if the clock was set back');
select is(new_pause('b', at(4)), at(4), 'another tenant''s has none');
select is(new_pause('a', at(90)), at(90), 'nor has one that begins later');
update sluice.job set done = 1, undo_until = at(900) where id = :job;
select sluice.undo_job(:job, at(5)) \g /dev/null
select is((job_of(:job)).look_at, at(12), 'its undo has it, too');
select is((job_of(sluice.start_job('cancel', '{"everything": true}', p_now => at(4)))).look_at,
  at(4), 'nor one for all tenants');

select * from finish();
rollback;
