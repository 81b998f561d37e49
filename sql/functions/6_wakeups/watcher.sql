-- How an idle worker waits for work without missing any. All of this runs on its listening session,
-- a direct connection, because the locks belong to the session. Of the idle workers that serve the
-- same models one is the watcher: it keeps the timers and the sleeper locks, and a notification of
-- work makes it claim. The others look for work once a second; then, and at each notification, they
-- try to become the watcher. While the watcher holds its models' locks, every transaction that
-- makes a task ready notifies (2_storage/ready_lines.sql); while it does not, none needs to.

-- become_watcher: tries to make this session the watcher of the models that the worker serves. The
-- watcher must not call it again: a session lock taken twice must be released twice.
create or replace function sluice.become_watcher(worker bigint) returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return (select pg_try_advisory_lock(sluice.lock_class('watcher'), sluice.watcher_lock_of(w))
  from sluice.worker w where w.id = become_watcher.worker);
end
$$;

-- watcher_lock_of: the object of the lock held by the watcher of p_worker's models.
create or replace function sluice.watcher_lock_of(p_worker sluice.worker) returns int
language sql stable
as $$
  select hashtext(coalesce(array_to_string(p_worker.models, e'\n'), '*') || e'\n\n'
    || coalesce(array_to_string(p_worker.apis, e'\n'), '*')
    || coalesce(e'\n\n' || array_to_string(p_worker.schema_versions, e'\n'), ''))
$$;

-- resign_watcher: resigns as watcher and, if work remains, wakes the others, so that one of them
-- takes over.
-- Params:  worker; work_remains: notify (without work an idle worker would look in vain).
create or replace function sluice.resign_watcher(worker bigint, work_remains boolean) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform pg_advisory_unlock(sluice.lock_class('watcher'), sluice.watcher_lock_of(w)),
    case when resign_watcher.work_remains then sluice.notify('sluice_work', '0') end
  from sluice.worker w where w.id = resign_watcher.worker;
end
$$;

-- take_sleeper_locks: takes the sleeper locks of the worker's models, then looks for work once
-- more; only if there is none may the watcher sleep. For workers of Sluice's own: the session must
-- be the watcher's.
-- Params:  worker: its id; held: locks that this session holds already.
-- Returns: locks: all it holds now; complete: whoever makes work from now on will notify; work:
--          there is something to claim or to wake; wake_in_ms: when the next permit, reopening or
--          due task comes (null: none known).
--
-- For a blocked model (out of permits, paused, closed, broken, full) a new task is no work, and
-- nobody need notify of it: its lock is released. The sleeper hears by its opening lock
-- (2_storage/ready_lines.sql), which is among locks, when the model opens, or knows the time.
-- complete is true when each lock is held, here or by another watcher (not while a submitter's
-- transaction is open: look again after 1, 2, 4 ... 16 ms). wake_in_ms is within 5 s while anything
-- may wait for an open model, because nobody notifies of ageing; and within a second while another
-- watcher holds a lock, because that one may disappear unnoticed.
create or replace function sluice.take_sleeper_locks(
  worker bigint, held int[], p_now timestamptz default null)
returns table (locks int[], complete boolean, work boolean, wake_in_ms bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_ids int[] := sluice.served_models(take_sleeper_locks.worker);
  v_wanted int[] := sluice.sleeper_locks_of(v_ids);
  v_locks int[] := coalesce(take_sleeper_locks.held, '{}');
  v_missing int[];
  v_complete boolean;
  v_now timestamptz;
  v_next record;
begin
  -- "except", not "<> all (v_locks) and": the planner would try the locks first, and take some
  -- twice.
  v_missing := array(select unnest(v_wanted) except select unnest(v_locks));
  v_locks := v_locks || array(
    select b from unnest(v_missing) b where pg_try_advisory_lock(sluice.lock_class('sleeper'), b));
  v_missing := array(select unnest(v_wanted) except select unnest(v_locks));
  -- A lock that cannot even be shared is another watcher's.
  v_complete := not exists (
    select from unnest(v_missing) b
    where pg_try_advisory_xact_lock_shared(sluice.lock_class('sleeper'), b));
  v_now := coalesce(p_now, clock_timestamp());
  -- New statements, hence new snapshots: they see all that was committed before the locks were
  -- taken.
  perform sluice.forget_idle_lines(v_now);
  v_next := sluice.next_work(sluice.models_with_work(v_ids), v_now,
    take_sleeper_locks.worker);
  if v_missing <> '{}' then
    v_next.wake_at := least(v_next.wake_at, v_now + interval '1 second');
  end if;
  if v_next.blocked <> '{}' then
    v_wanted := sluice.sleeper_locks_of(v_ids, v_next.blocked);
  end if;
  if not v_locks <@ v_wanted then
    perform sluice.drop_sleeper_locks(array(select unnest(v_locks) except select unnest(v_wanted)));
  end if;
  return query
    select array(select b from unnest(v_locks) b where b = any (v_wanted) order by b), v_complete,
      v_next.work,
      -- Neither null (greatest() would pass over it: wake at once, for ever) nor infinity (a parked
      -- model) is a time.
      case when isfinite(v_next.wake_at) then
        greatest(0, ceil(extract(epoch from v_next.wake_at - coalesce(p_now,
          clock_timestamp())) * 1000))::bigint end;
end
$$;

-- sleeper_locks_of: the sleeper locks of the lines from which models p_ids take, without those from
-- which only models in p_blocked take, and the opening locks of all. As a function in SQL it was
-- planned anew in every transaction: 0.25 of take_sleeper_locks' 0.7 ms.
create or replace function sluice.sleeper_locks_of(p_ids int[], p_blocked int[] default '{}')
returns int[]
language plpgsql stable
as $$
begin
  return array(
    select sluice.sleeper_lock_of(id) from unnest(p_ids) id where id <> all (p_blocked)
    union
    select sluice.sleeper_lock_of(-l.n) from sluice.route_line l
    where case when l.model is not null then l.model = any (p_ids) and l.model <> all (p_blocked)
      else exists (
        select from sluice.routes r join sluice.models m on m.name = r.model
          and (l.api is null or l.api = m.api)
        where r.route = l.route and r.weight > 0 and m.id = any (p_ids)
          and m.id <> all (p_blocked)) end
    union
    select 64 + id % 64 from unnest(p_ids) id
    order by 1);
end
$$;

-- drop_sleeper_locks: releases the locks of a watcher that is awake.
-- Params:  locks: as returned by take_sleeper_locks.
create or replace function sluice.drop_sleeper_locks(locks int[]) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform pg_advisory_unlock(sluice.lock_class('sleeper'), b)
    from unnest(drop_sleeper_locks.locks) b;
end
$$;

-- served_models: the ids of the models that worker p_worker serves: those that it named, with apis
-- that it speaks. Ascending.
create or replace function sluice.served_models(p_worker bigint) returns int[]
language plpgsql stable
as $$
begin
  return array(select m.id from sluice.models m, sluice.worker w
               where w.id = p_worker and sluice.serves(w, m) order by m.id);
end
$$;

-- look_ahead: how far ahead who is about to sleep looks: it looks anew after settings.idle_look, or
-- 15 s while awake. All that is to come may be many dead rows, while somebody holds a snapshot.
create or replace function sluice.look_ahead() returns interval language sql stable
as $$ select s.idle_look + interval '15 seconds' from sluice.settings s $$;

-- next_work: whether any task's time has come, or there is work for the models p_ids
-- (sluice.models_with_work).
-- Params:  p_worker: only tasks of versions that it serves (null: any).
-- Returns: work; wake_at: the next moment at which time alone makes work (infinity, null: none is
--          known), within 5 s while a model is open, because nobody notifies of ageing; blocked:
--          those of p_ids that cannot take tasks now.
create or replace function sluice.next_work(
  p_ids int[], p_now timestamptz, p_worker bigint default null, out work boolean,
  out wake_at timestamptz, out blocked int[])
language plpgsql volatile
as $$
declare
  v_model sluice.models;
  v_at timestamptz;
begin
  work := sluice.first_due(p_now) is not null;
  wake_at := (select min(l.ready_at) from sluice.later l
    where l.ready_at > p_now and l.ready_at <= p_now + sluice.look_ahead());
  blocked := '{}';
  for v_model in select m.* from sluice.models m where m.id = any (p_ids) loop
    exit when work;
    v_at := sluice.opens_at(v_model, p_now);
    if v_at > p_now then
      blocked := blocked || v_model.id;
    else
      v_at := least(sluice.first_task_at(v_model, p_now, p_worker), p_now + interval '5 seconds');
      work := v_at <= p_now;
    end if;
    wake_at := least(wake_at, v_at);
  end loop;
end
$$;

-- first_task_at: when the first task that model p_model may take is ready; null: none waits. Looks
-- only into lines noted as ready (2_storage/ready_lines.sql), because each look costs 50 us. If
-- other models have priority for a route's tasks it returns 50 ms from now: in that time they take
-- no more than the slack of both, so that a fast model can make up for it. It does not look into
-- other homes' lines from which the model takes only while it is idle: its next look does.
-- Params:  p_worker: as next_work.
create or replace function sluice.first_task_at(
  p_model sluice.models, p_now timestamptz, p_worker bigint default null)
returns timestamptz
language plpgsql volatile
as $$
declare
  v_line record;
  v_ready timestamptz;
begin
  for v_line in
    select l.line, r.weight, r.prefer, r.tier from unnest(sluice.lines_for(p_model)) l(line)
    left join sluice.route_line n on n.n = -l.line
    left join sluice.routes r on r.route = n.route and r.model = p_model.name and n.model is null
    where exists (select from sluice.ready_line k where k.line = l.line)
      and (n.version is null or sluice.serves_version(p_worker, n.version))
      and (n.route is null or n.model is null or n.model = p_model.id
        or sluice.leaves_home(l.line, n.model, false, p_now))
    order by l.line desc
  loop
    v_ready := least(v_ready, case
      when v_line.weight is null or (sluice.route_share(v_line.line, p_model, v_line.weight,
          v_line.tier, v_line.prefer, null, p_now, p_worker)).most is distinct from 0
        then sluice.first_turn(v_line.line, p_now)
      when sluice.is_waiting(v_line.line, p_now) then p_now + interval '50 ms' end);
    exit when v_ready <= p_now;
  end loop;
  return v_ready;
end
$$;

-- unfinished: whether any task of the models that a worker serves waits or is under way.
-- Params:  worker: its id.
create or replace function sluice.unfinished(worker bigint) returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_ids int[] := sluice.served_models(unfinished.worker);
begin
  return exists (
      select from (select distinct line from sluice.ready_line) r
      left join sluice.route_line n on n.n = -r.line
      where sluice.models_of_line(r.line, v_ids) <> '{}' and sluice.is_waiting(r.line)
        and sluice.serves_version(unfinished.worker, n.version))
    or exists (select from sluice.later b where (b.model = any (v_ids)
               or b.route in (select r.route from sluice.routes r
                 join sluice.models m on m.name = r.model
                              where m.id = any (v_ids)))
      and (not exists (select from sluice.route_line n where n.version is not null)
        or sluice.serves_version(unfinished.worker, (select t.schema_version from sluice.task t
          where t.id = b.task_id))))
    or exists (select from sluice.lease l where l.model = any (v_ids));
end
$$;

-- fall_asleep: lets a worker that has had nothing to do for a minute stop its heartbeats, if
-- nothing waits that a claim could take, no call is under way anywhere, no job is open and no task
-- waits for a budget of a time that rolls. After settings.idle_look it calls this again; a
-- heartbeat ends the sleep.
-- Params:  worker: its id.
-- Returns: asleep: false: send heartbeats and look for work; wake_in_ms: when a task that waits for
--          its time is due or past its deadline, before the next look; else ten years.
--
-- The calls of a dead worker are found only by workers with heartbeats. The worker hears of new
-- tasks by LISTEN, because a submit to an idle line always notifies (notify_ready), and keeps a
-- timer for due tasks. While it sleeps worker.seen is the time by which it will call again.
create or replace function sluice.fall_asleep(worker bigint, p_now timestamptz default null)
returns table (asleep boolean, wake_in_ms bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_next record := sluice.next_work('{}', v_now);
begin
  perform set_config('synchronous_commit', 'off', true);
  update sluice.worker w set seen = v_now + s.idle_look, beating_since = v_now + s.idle_look
  from sluice.settings s
  where w.id = fall_asleep.worker and w.dead_at is null and not v_next.work
    and not exists (select from sluice.ready_line) and not exists (select from sluice.lease)
    and not exists (select from sluice.cancellation) and not sluice.waits_for_time()
    and not exists (select from sluice.job j
      where j.state in ('running', 'cancelling', 'undoing'));
  return query select found, ceil(extract(epoch from greatest(v_now,
    least(v_next.wake_at, (select min(l.deadline) from sluice.later l
        where l.deadline between v_now - interval '1 minute' and v_now + sluice.look_ahead()),
      v_now + interval '10 years')) - v_now) * 1000)::bigint;
end
$$;
