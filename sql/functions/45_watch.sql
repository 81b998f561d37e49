-- How an idle worker falls asleep without missing anything. All of this runs on its LISTEN connection, a direct one: the
-- locks belong to the session. Of the workers that serve the same models one has the watch: it keeps the timers and the
-- bells; the others sleep on LISTEN and try for the watch every second. While the watcher holds its models' bells,
-- whoever makes a task ready notifies (06_bells.sql); while it does not, nobody needs to.

-- take_watch: tries to make this session the watcher of the models that the worker serves. Idempotent for the holder's
-- caller only if it remembers: a session lock taken twice must be dropped twice.
create or replace function sluice.take_watch(worker bigint) returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return (select pg_try_advisory_lock(sluice.lock_class('watch'), sluice.watch_of(w))
  from sluice.worker w where w.id = take_watch.worker);
end
$$;

-- watch_of: the object of the lock that is the watch of p_worker's models.
create or replace function sluice.watch_of(p_worker sluice.worker) returns int
language sql stable
as $$
  select hashtext(coalesce(array_to_string(p_worker.models, e'\n'), '*') || e'\n\n'
    || coalesce(array_to_string(p_worker.apis, e'\n'), '*'))
$$;

-- drop_watch: gives the watch away and, if work remains, wakes the others, so that one of them takes it.
-- Params:  worker; work_remains: notify (an idle worker that finds nothing would only look in vain).
create or replace function sluice.drop_watch(worker bigint, work_remains boolean) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  perform pg_advisory_unlock(sluice.lock_class('watch'), sluice.watch_of(w)),
    case when drop_watch.work_remains then pg_notify('sluice_work', '0') end
  from sluice.worker w where w.id = drop_watch.worker;
end
$$;

-- take_bells: takes the bells of the worker's models, then looks once more: only now may the watcher sleep. For a model that
-- is shut (out of permits, paused, closed, broken, full) a new task is no work, so nobody need say that it came: its bell is
-- given back, and what opens it is heard by its alarm (06_bells.sql) or is a time. Measured, 32 clients that submit for a
-- model with 1 rpm: they rang for each of their tasks, and NOTIFY made their commits queue; see bench/README.md, doorbell.
-- Requires the watch. Params: worker; held: bells and alarms this session holds already; p_now.
-- Returns: bells: all it holds now, alarms among them; complete: whoever makes work now will notify, for each bell is held,
--          here or by another watcher (not while a submitter's transaction is open: look again after 1, 2, 4 ... 250 ms);
--          work: there is something to claim or to wake; wake_in_ms: when the next permit, reopening or due task comes
--          (null: none known); within 5 s while anything may wait for an open model, for ageing is told by nobody; within a
--          second while another watcher holds a bell, for that one may leave unheard.
create or replace function sluice.take_bells(worker bigint, held int[], p_now timestamptz default null)
returns table (bells int[], complete boolean, work boolean, wake_in_ms bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_ids int[] := sluice.served_models(take_bells.worker);
  v_wanted int[] := sluice.bells_of(v_ids);
  v_bells int[] := coalesce(take_bells.held, '{}');
  v_missing int[];
  v_complete boolean;
  v_now timestamptz;
  v_look record;
begin
  -- "except", not "<> all (v_bells) and": the planner would try the locks first, and take some twice.
  v_missing := array(select unnest(v_wanted) except select unnest(v_bells));
  v_bells := v_bells || array(
    select b from unnest(v_missing) b where pg_try_advisory_lock(sluice.lock_class('bell'), b));
  v_missing := array(select unnest(v_wanted) except select unnest(v_bells));
  -- A bell that cannot even be shared is another watcher's.
  v_complete := not exists (
    select from unnest(v_missing) b where pg_try_advisory_xact_lock_shared(sluice.lock_class('bell'), b));
  v_now := coalesce(p_now, clock_timestamp());
  -- New statements, hence new snapshots: they see all that was committed before the bells were taken.
  perform sluice.quieten(v_now);
  v_look := sluice.look_around(sluice.restless(v_ids), v_now);
  if v_missing <> '{}' then
    v_look.wake_at := least(v_look.wake_at, v_now + interval '1 second');
  end if;
  v_wanted := sluice.bells_of(v_ids, v_look.shut);
  perform sluice.drop_bells(array(select unnest(v_bells) except select unnest(v_wanted)));
  return query
    select array(select b from unnest(v_bells) b where b = any (v_wanted) order by b), v_complete, v_look.work,
      -- Neither null (greatest() would pass over it: wake at once, for ever) nor infinity (a parked model) is a time.
      case when isfinite(v_look.wake_at) then
        greatest(0, ceil(extract(epoch from v_look.wake_at - coalesce(p_now, clock_timestamp())) * 1000))::bigint end;
end
$$;

-- bells_of: the bells of the lines that feed models p_ids, but for those that only models in p_shut have, and the alarms of all.
-- As a function in SQL it was planned anew in every transaction: 0.25 of take_bells' 0.7 ms.
create or replace function sluice.bells_of(p_ids int[], p_shut int[] default '{}') returns int[]
language plpgsql stable
as $$
begin
  return array(
    select sluice.bell_of(id) from unnest(p_ids) id where id <> all (p_shut)
    union
    select sluice.bell_of(-l.n) from sluice.route_line l
    where exists (select from sluice.routes r join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
                  where r.route = l.route and r.weight > 0 and m.id = any (p_ids) and m.id <> all (p_shut))
    union
    select 64 + id % 64 from unnest(p_ids) id
    order by 1);
end
$$;

-- drop_bells: the watcher is awake. Params: bells: those that take_bells returned, alarms among them.
create or replace function sluice.drop_bells(bells int[]) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  perform pg_advisory_unlock(sluice.lock_class('bell'), b) from unnest(drop_bells.bells) b;
end
$$;

-- served_models: the ids of the models that worker p_worker serves: those it named, of apis it speaks. Ascending.
create or replace function sluice.served_models(p_worker bigint) returns int[]
language plpgsql stable
as $$
begin
  return array(select m.id from sluice.models m, sluice.worker w
               where w.id = p_worker and sluice.serves(w, m) order by m.id);
end
$$;

-- look_around: is there a task of anybody's whose time has come, or anything to do for the models p_ids (see sluice.restless)?
-- The first work found ends it.
-- Returns: work; wake_at: the next moment at which the clock alone makes work (infinity, null: none is known), within 5 s while a model
--          is open, for ageing is told by nobody; shut: those looked at that can call nobody now.
create or replace function sluice.look_around(
  p_ids int[], p_now timestamptz, out work boolean, out wake_at timestamptz, out shut int[])
language plpgsql volatile
as $$
declare
  v_model sluice.models;
  v_at timestamptz;
begin
  work := exists (select from only sluice.later where ready_at >= sluice.later_mark(p_now) and ready_at <= p_now)
    or sluice.has_moves();
  wake_at := (select min(ready_at) from sluice.later where ready_at > p_now);
  shut := '{}';
  for v_model in select m.* from sluice.models m where m.id = any (p_ids) loop
    exit when work;
    v_at := sluice.opens_at(v_model, p_now);
    if v_at > p_now then
      shut := shut || v_model.id;
    else
      v_at := least(sluice.first_turn(v_model, p_now), p_now + interval '5 seconds');
      work := v_at <= p_now;
    end if;
    wake_at := least(wake_at, v_at);
  end loop;
end
$$;

-- first_turn: when the first task is ready that model p_model may take; null: none waits. Of a route's tasks that others may take
-- first it asks again in 50 ms: until then they could take no more than what both have of slack, or a fast one would not make up for it.
create or replace function sluice.first_turn(p_model sluice.models, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  v_line record;
  v_ready timestamptz;
begin
  for v_line in
    select l.line, r.weight from unnest(sluice.lines_for(p_model)) l(line)
    left join sluice.route_line n on n.n = -l.line
    left join sluice.routes r on r.route = n.route and r.model = p_model.name order by l.line desc
  loop
    v_ready := least(v_ready, case
      when v_line.line > 0 or sluice.may_take(v_line.line, p_model.id, v_line.weight, null, p_now) is distinct from 0
        then sluice.first_turn(v_line.line, p_now)
      when sluice.is_waiting(array[v_line.line], p_now) then p_now + interval '50 ms' end);
    exit when v_ready <= p_now;
  end loop;
  return v_ready;
end
$$;

-- opens_at: when model p_model may begin a call: p_now: at once; later: its next permit, the end of a closure, the next
-- probe; infinity: no time is known. A model that is full waits for the end of a call, and the worker whose call it was claims.
create or replace function sluice.opens_at(p_model sluice.models, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  v_at timestamptz := greatest(p_now, p_model.closed_until);
begin
  if p_model.paused or v_at = 'infinity' then
    return 'infinity';
  end if;
  v_at := greatest(v_at, sluice.permit_at(p_model, p_now), sluice.probe_at(p_model, p_now));
  -- A call that was counted as ended is counted once more by who recounts before its commit. The counters alone would say "full" to a
  -- sleeper that has come too late to hear of that end, and it would sleep for long.
  return case when v_at <= p_now and p_model.max_in_flight <= sluice.in_flight(p_model.id)
      and p_model.max_in_flight <= (select coalesce(sum(l.calls), 0) from sluice.lease l where l.model = p_model.id)
    then 'infinity' else v_at end;
end
$$;

-- unfinished: whether any task of the models that a worker serves waits or is under way.
create or replace function sluice.unfinished(worker bigint) returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_ids int[] := sluice.served_models(unfinished.worker);
begin
  return exists (
      select from (select distinct line from sluice.rung) r
      where sluice.fed_models(r.line, v_ids) <> '{}' and sluice.is_waiting(array[r.line]))
    or exists (select from sluice.later b where b.model = any (v_ids)
               or b.route in (select r.route from sluice.routes r join sluice.models m on m.name = r.model
                              where m.id = any (v_ids)))
    or exists (select from sluice.lease l where l.model = any (v_ids));
end
$$;
