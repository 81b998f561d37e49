-- The steps of jobs: workers and tick call advance_jobs() again and again. A step is one
-- transaction over a bounded part of one job, and its row in sluice.job says, in the same
-- transaction, where the next one begins: whoever makes it, and whenever he is killed, each task is
-- acted on once.
--
-- The pace: in the whole fleet one step is made at a time. It works for job_step_time(), and to the
-- end of its page; the next one, of whichever job, begins after a rest five times as long (as
-- long, where a step has waited for a lock in vain). So all jobs together use at most a sixth of
-- one session, and a claim waits for one step at most.

-- job_step_time: after how much work a step begins no other page: less than a page of tasks takes,
-- more than one on which there are none.
create or replace function sluice.job_step_time() returns interval
language sql immutable parallel safe
as $$ select interval '1 ms' $$;

-- advance_jobs: makes the next step of the job that has waited longest, if one is due. Its commit
-- does not wait for the disk: what a crash undoes is done again.
-- Returns: in how many ms the caller's next look is due: the rest after his step; 1,000 while jobs
--          are open and somebody else makes the steps; null: no job is open.
create or replace function sluice.advance_jobs(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_generic_plan
-- a client's open transaction holds up one job for a while, not the worker
set lock_timeout = '50ms'
as $$
declare
  -- How many times as long as a step the rest after it is. With two, every 25th claim on a machine
  -- with two processors found a step on its own (D-400).
  v_rests int := 5;
  v_now timestamptz := sluice.now_for(p_now);
  v_begun timestamptz := clock_timestamp();
  v_job sluice.job;
  v_took interval;
begin
  if not exists (select from sluice.job j where j.state in ('running', 'cancelling', 'undoing'))
    and not sluice.has_old_jobs(v_now) then
    return null;
  elsif not sluice.is_due('sluice.jobs_after', interval '1 minute', v_now)
    or current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(sluice.lock_class('job'), 0) then
    return 1000;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  if not sluice.drop_old_jobs(v_now) then  -- first: one such step for 100 of jobs'
    select j.* into v_job from sluice.job j
    where j.state in ('running', 'cancelling', 'undoing') and j.look_at <= v_now
    -- not one that a client is cancelling in his open transaction
    order by j.look_at, j.id limit 1 for update skip locked;
    if not found then
      return 1000;
    end if;
    perform sluice.advance_job(v_job, v_now);
    if exists (select from sluice.job j where j.id = v_job.id and j.failures > v_job.failures) then
      v_rests := 1;  -- it has mostly waited for a lock
    end if;
  end if;
  v_took := clock_timestamp() - v_begun;
  perform setval('sluice.jobs_after', sluice.micros(v_now + (1 + v_rests) * v_took));
  return greatest(1, ceil(extract(epoch from v_rests * v_took) * 1000))::int;
end
$$;

-- advance_job: the next step of a job. One that fails is repeated, after a second more each time up
-- to ten; a job whose target is gone, or that fails 20 times (2.5 minutes), ends. One that acts for
-- no tenant waits for a lock as long as it is held: it has none of the places that tenants share
-- (D-392). A job whose key was revoked ends, too, and so does its undoing with the key that began
-- this (D-381): it may be why. What was done may still be undone.
create or replace function sluice.advance_job(p_job sluice.job, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_is_final boolean;
begin
  perform pg_advisory_xact_lock_shared(sluice.lock_class('retain'), 1);
  if p_job.state = 'cancelling' then  -- by the last release
    perform sluice.end_job(p_job.id, 'cancelled', p_now);
  elsif exists (select from sluice.api_key k where k.revoked_at is not null
    and k.id = case p_job.state when 'undoing' then p_job.undo_key else p_job.api_key end) then
    update sluice.job j set error = format('the key that %s it was revoked',
      case p_job.state when 'undoing' then 'undid' else 'started' end) where j.id = p_job.id;
    perform sluice.end_job(p_job.id, 'cancelled', p_now);
  elsif p_job.state = 'undoing' then
    perform sluice.undo_step(p_job, p_now);
  else
    perform sluice.job_step(p_job, p_now);
  end if;
exception when others then
  v_is_final := sqlstate like 'SL%'
    or p_job.failures >= 19
      and (p_job.scope = 'tenants' or sqlstate not in ('55P03', '40P01', '40001'));
  update sluice.job j set failures = j.failures + 1,
    look_at = p_now + least(j.failures + 1, 10) * interval '1 second',
    error = case when sqlstate like 'SL%' then left(sqlerrm, 500)
      when sqlstate = '55P03' then 'a task is locked by an open transaction'
      else 'SQLSTATE ' || sqlstate end
  where j.id = p_job.id;
  if v_is_final then
    perform sluice.end_job(p_job.id, 'failed', p_now);
  else
    raise warning 'a step of job % failed: SQLSTATE %', p_job.id, sqlstate;
  end if;
end
$$;

-- job_step: acts on pages of tasks until the time is over. A step that puts rows into a line ends
-- with its first page, because it holds the line's lock, and claims wait for it.
create or replace function sluice.job_step(p_job sluice.job, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_stop timestamptz := clock_timestamp() + sluice.job_step_time();
  v_filter sluice.task_filter := sluice.job_filter(p_job);
  v_page record;
  v_acted record;
  v_changed sluice.job_task[] := '{}';
  v_skipped int := 0;
begin
  loop
    v_page := sluice.next_page(v_filter, p_job.action = 'redrive', p_job.position,
      sluice.job_page_tasks());
    p_job.position := v_page.next;
    if v_page.ids <> '{}' then
      v_acted := sluice.act_on(p_job, v_page.place, v_page.ids, p_now);
      v_changed := v_changed || v_acted.changed;
      v_skipped := v_skipped + case when v_page.is_again then 0 else v_acted.skipped end;
    end if;
    exit when v_page.next is null or clock_timestamp() >= v_stop
      or v_changed <> '{}' and p_job.action in ('move', 'prioritise');
  end loop;
  update sluice.job j set done = j.done + cardinality(v_changed), skipped = j.skipped + v_skipped,
    -- what was estimated may have missed them
    matched = greatest(j.matched, j.done + j.skipped + cardinality(v_changed) + v_skipped),
    position = coalesce(p_job.position, j.position), started_at = coalesce(j.started_at, p_now),
    failures = 0, error = null, look_at = greatest(p_now, clock_timestamp()),
    parts = j.parts + (v_changed <> '{}')::int,
    undo_until = case when j.done + cardinality(v_changed) > sluice.undo_tasks_max()
      then '-infinity' else j.undo_until end
  where j.id = p_job.id returning j.* into p_job;
  if p_job.undo_until > '-infinity' and v_changed <> '{}' then
    insert into sluice.job_part (job, n, tasks) values (p_job.id, p_job.parts, v_changed);
  elsif p_job.undo_until = '-infinity' then
    perform sluice.drop_job_parts(p_job.id);
  end if;
  if v_page.next is null then
    perform sluice.end_job(p_job.id, 'done', p_now);
  end if;
end
$$;

-- undo_step: undoes the last part that is left of a job.
create or replace function sluice.undo_step(p_job sluice.job, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_part sluice.job_part;
  v_undone int := 0;
begin
  delete from sluice.job_part k
  where k.job = p_job.id and k.n = (select max(n) from sluice.job_part where job = p_job.id)
  returning k.* into v_part;
  if v_part.n is not null then
    v_undone := sluice.undo_part(p_job, v_part.tasks, p_now);
  end if;
  update sluice.job j set undone = j.undone + v_undone, failures = 0, error = null,
    look_at = greatest(p_now, clock_timestamp())
  where j.id = p_job.id;
  if not exists (select from sluice.job_part k where k.job = p_job.id) then
    perform sluice.end_job(p_job.id, 'undone', p_now);
  end if;
end
$$;

-- end_job: ends a job. What its undoing needs is kept from now on for undo_time(), if it has
-- changed anything; -infinity: it cannot be undone, and what is left of that is to be deleted.
create or replace function sluice.end_job(p_id bigint, p_state text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  update sluice.job j set state = p_state, finished_at = p_now,
    undo_until = case when p_state = 'undone' then null
      when j.undo_until = '-infinity' then j.undo_until
      when j.undo_until is not null and j.done > j.undone then p_now + sluice.undo_time() end
  where j.id = p_id;
end
$$;
