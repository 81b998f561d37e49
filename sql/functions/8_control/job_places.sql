-- How many jobs there may be: open ones, and ended ones with what undoing them needs. Jobs that act
-- for tenants are counted with those of the same tenants, those for all, or for all without a role
-- of their own, with others of that scope. So nobody's jobs take the room of another tenant's, or
-- of an administrator's (D-391, D-392).

-- jobs_kept_max: how many jobs that have ended are kept of a tenant, and of all that act for no
-- tenant: some 10 MB. A new one takes the place of the oldest that has nothing to undo.
create or replace function sluice.jobs_kept_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- jobs_kept_time: for how long at most.
create or replace function sluice.jobs_kept_time() returns interval
language sql immutable parallel safe
as $$ select interval '30 days' $$;

-- is_beside: whether two jobs are counted together.
create or replace function sluice.is_beside(p_job sluice.job, p_scope text, p_tenants text[])
returns boolean
language sql immutable parallel safe
as $$
  select p_job.scope = p_scope and (p_scope <> 'tenants' or p_job.tenants && p_tenants)
$$;

-- take_place: has one more job be open, if it may, until the transaction ends or for good.
-- Params:  p_job: it, not open yet.
-- Errors:  SL003 too many are open, or another session opens one of the same tenant or scope;
--          SL004 not at read committed, where a count misses what was committed since.
-- Locks:   tries lock_class('job_place') or, without tenants, lock_class('job_scope'): nobody
--          waits for who leaves a transaction open. One class would not do: a tenant's name can be
--          made to have any hash.
create or replace function sluice.take_place(p_job sluice.job) returns void
language plpgsql volatile
as $$
declare
  -- Of one scope; each tenant has at most two of those of tenants. Steps are made one at a time, in
  -- turns: with more each would hardly move.
  c_open_max constant int := 10;
  v_of_tenants boolean := p_job.scope = 'tenants';
  v_max int := case when v_of_tenants then 2 else c_open_max end;
  v_beside bigint[];
  v_open bigint;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'a job begins only in a transaction that is read committed'
      using errcode = 'SL004', hint = 'Others count open jobs that have been committed since.';
  elsif not (select pg_try_advisory_xact_lock(
      sluice.lock_class(case when v_of_tenants then 'job_place' else 'job_scope' end),
      hashtext(case when v_of_tenants then min(t) else p_job.scope end))
      from unnest(p_job.tenants) t) then
    raise exception 'another session is starting or undoing a job, and has not committed'
      using errcode = 'SL003', hint = 'Try again when its transaction has ended.';
  end if;
  select count(*), array_agg(j.id order by j.id)
    filter (where sluice.is_beside(j, p_job.scope, p_job.tenants)) into v_open, v_beside
  from sluice.job j
  where j.state in ('running', 'cancelling', 'undoing') and j.scope = p_job.scope;
  if cardinality(v_beside) >= v_max then
    raise exception 'too many jobs are open%: %',
      case when v_of_tenants then ' of this tenant' else '' end, array_to_string(v_beside, ', ')
      using errcode = 'SL003', hint = 'Wait until one has ended, or cancel one.';
  elsif v_open >= c_open_max then
    raise exception 'too many jobs are open: % of all tenants', v_open
      using errcode = 'SL003', hint = 'Wait until one has ended.';
  end if;
end
$$;

-- make_room: makes room among those that have ended for one that is about to start: the oldest
-- that has nothing to undo goes, and beyond c_undo_kept_max the undo of the oldest others. Rows
-- that a client has locked stay for now.
-- Errors:  SL003 all of them can still be undone.
create or replace function sluice.make_room(p_job sluice.job) returns void
language plpgsql volatile
as $$
declare
  -- Of how many tasks of a tenant what undoing needs is kept: two of the largest jobs, some 200 MB.
  c_undo_kept_max constant bigint := 2 * sluice.undo_tasks_max();
  v_kept bigint := (select count(*) from sluice.job j where j.finished_at is not null
    and sluice.is_beside(j, p_job.scope, p_job.tenants));
begin
  -- Arrays are made once. A join would go through all of them for each where the table was last
  -- vacuumed when it was empty: with 2,000 jobs for minutes.
  update sluice.job j set undo_until = '-infinity'
  where j.id = any (array(
    select o.id from sluice.job o
    where o.finished_at is not null and o.undo_until > p_job.created_at and o.id = any (array(
      select s.id from (
        select k.id, sum(k.done - k.undone) over (order by k.finished_at desc, k.id desc) as tasks
        from sluice.job k where k.finished_at is not null and k.undo_until > p_job.created_at
          and sluice.is_beside(k, p_job.scope, p_job.tenants)) s
      where s.tasks > c_undo_kept_max))
    for update skip locked));
  if v_kept < sluice.jobs_kept_max() then
    return;
  end if;
  delete from sluice.job j where j.id = any (array(
    select o.id from sluice.job o
    where o.finished_at is not null and o.undo_until is null
      and sluice.is_beside(o, p_job.scope, p_job.tenants)
    order by o.finished_at, o.id limit v_kept + 1 - sluice.jobs_kept_max()
    for update skip locked));
  if not found then
    raise exception '% jobs that have ended can still be undone', v_kept using errcode = 'SL003',
      hint = format('Each of them is kept for %s.', sluice.undo_time());
  end if;
end
$$;

-- has_old_jobs: whether drop_old_jobs may have something to do: a job that has ended, or what its
-- undoing needs, is kept no longer. Two conditions, not one with "or", which no index serves: among
-- 50,000 jobs a look took 130 ms.
create or replace function sluice.has_old_jobs(p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  return exists (select from sluice.job j where j.finished_at is not null and j.undo_until <= p_now)
    or exists (select from sluice.job j where j.finished_at <= p_now - sluice.jobs_kept_time());
end
$$;

-- drop_job_parts: deletes 100 parts of a job. Returns whether it had any.
create or replace function sluice.drop_job_parts(p_job bigint) returns boolean
language plpgsql volatile
as $$
begin
  delete from sluice.job_part k where k.ctid = any (array(select ctid from sluice.job_part
    where job = p_job limit 100));
  return found;
end
$$;

-- drop_old_jobs: deletes 100 parts of a job that cannot be undone any more, or an old job without
-- parts. It leaves out one that a client has locked.
-- Returns: whether there was anything to delete.
create or replace function sluice.drop_old_jobs(p_now timestamptz) returns boolean
language plpgsql volatile
as $$
declare
  v_old sluice.job;
begin
  select j.* into v_old from sluice.job j where j.finished_at is not null and j.undo_until <= p_now
  order by j.undo_until limit 1 for update skip locked;
  if not found then
    select j.* into v_old from sluice.job j where j.finished_at <= p_now - sluice.jobs_kept_time()
    order by j.finished_at limit 1 for update skip locked;
  end if;
  if not found then
    return false;
  end if;
  if sluice.drop_job_parts(v_old.id) then
    update sluice.job j set undo_until = '-infinity'
    where j.id = v_old.id and j.undo_until <> '-infinity';
  elsif v_old.finished_at <= p_now - sluice.jobs_kept_time() then
    delete from sluice.job j where j.id = v_old.id;
  else
    update sluice.job j set undo_until = null where j.id = v_old.id;
  end if;
  return true;
end
$$;
