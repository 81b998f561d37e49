-- sweep: finds rows that became visible below their lane's mark, and lowers the mark to them. Such a row was committed
-- later than the marks' lag (a submit inside a long transaction).
-- On the way it ends what is past its deadline and settles what was cancelled in mid-move.
-- Called by workers once a second and by tick. Walks what marks exist to avoid, hence at least 1 s and 50 times its own
-- last duration apart: at most 2 % of a core; one sweeper in the fleet. While nobody waits and nobody comes it rests (is_quiet):
-- with many lanes an idle system walked for those 2 %.
-- Rings for what it found: the row's own ring came before anybody could see it.
-- Returns: the number of lanes lowered; 0 also when it is not due, and -1 when it will not be within 5 s unless a task comes.
create or replace function sluice.sweep(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_started timestamptz := clock_timestamp();
  v_due timestamptz := sluice.from_micros(coalesce(pg_sequence_last_value('sluice.sweep_after'::regclass), 0));
  v_lane record;
  v_first timestamptz;
  v_newest bigint := coalesce(pg_sequence_last_value('sluice.task_id'::regclass), 0);
  v_rest_id bigint := coalesce(pg_sequence_last_value('sluice.sweep_rest_id'::regclass), 0);
  v_quiet boolean;
  v_lowered int := 0;
begin
  -- A time further ahead than any sweep sets: the clock was set back. A rest ends when a task comes, or its model is rung for.
  if v_now < v_due and v_due < v_now + interval '1 hour'
     and (v_rest_id = 0 or v_rest_id = v_newest + 1 and not exists (select from sluice.rung)) then
    return case when v_rest_id > 0 and v_due > v_now + interval '5 seconds' then -1 else 0 end;
  elsif not pg_try_advisory_xact_lock(sluice.lock_class('sweep'), 0) then
    return 0;
  end if;
  v_quiet := sluice.is_quiet();  -- before the walk: what comes during it is not seen by all of it
  -- Rows of tasks before locks of models.
  perform sluice.settle_cancellations(v_now), sluice.expire_due(v_now);
  for v_lane in select l.line, l.rank, l.tenant, l.id from sluice.lane l order by l.line, l.rank, l.tenant loop
    v_first := sluice.first_below_mark(v_lane.line, v_lane.rank, v_lane.tenant, sluice.mark(v_lane.id));
    if v_first is not null and sluice.try_line(v_lane.line) then
      perform sluice.set_mark(v_lane.id, least(sluice.mark(v_lane.id), v_first - interval '1 microsecond'));
      perform sluice.ring_line(v_lane.line);
      v_lowered := v_lowered + 1;
    end if;
  end loop;
  -- A rolled-back completion has counted its calls as ended all the same.
  perform sluice.recount_in_flight(m.id)
  from (select id from sluice.models where max_in_flight is not null order by id) m;
  perform sluice.clean_spent(v_now), sluice.quieten(v_now);
  v_quiet := v_quiet and v_lowered = 0;
  perform setval('sluice.sweep_rest_id', case when v_quiet then v_newest + 1 else 0 end),
    setval('sluice.sweep_after', sluice.micros(case when v_quiet then sluice.rest_until(v_now)
      else v_now + least(greatest(interval '1 second', 50 * (clock_timestamp() - v_started)), interval '30 minutes') end));
  perform sluice.look_at_tenants(v_now);
  return v_lowered;
end
$$;

-- is_quiet: whether a sweep that finds nothing needs no other one before a task comes: no model may have work, no call is under
-- way, none is to be aborted, and no transaction is open that could yet commit a row below a mark.
-- What is cheap to ask comes first: a busy system gets no further than the first line.
create or replace function sluice.is_quiet() returns boolean
language plpgsql volatile
as $$
begin
  return not exists (select from sluice.rung)
    and not exists (select from pg_snapshot_xip(pg_current_snapshot()) x where x is distinct from pg_current_xact_id_if_assigned())
    and not exists (select from sluice.cancellation)
    and not exists (select from sluice.lease);
end
$$;

-- rest_until: when the sweep looks again although nothing came: in a minute, or when the next task that waits is past its
-- deadline.
create or replace function sluice.rest_until(p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
begin
  return least(p_now + interval '1 minute', (select min(b.deadline) from sluice.backlog b where b.deadline > p_now));
end
$$;

-- first_below_mark: ready_at of the first row of a lane that lies below p_mark, or null.
create or replace function sluice.first_below_mark(p_line text, p_rank smallint, p_tenant bigint, p_mark timestamptz)
returns timestamptz
language plpgsql volatile
as $$
declare
  v_first timestamptz;
begin
  if p_line = 'later' then
    v_first := (select min(ready_at) from sluice.backlog where not due and ready_at < p_mark);
  elsif p_line like 'queue\_%' then
    execute format('select ready_at from sluice.%I where rank = $1 and ready_at < $2
                    order by rank, ready_at, task_id limit 1', p_line) into v_first using p_rank, p_mark;
  else
    select ready_at into v_first from sluice.backlog
    where due and sluice.line_of(model, route) = p_line and rank = p_rank and sluice.tenant_key(tenant) = p_tenant
      and ready_at < p_mark
    order by ready_at, task_id limit 1;
  end if;
  return v_first;
end
$$;

-- try_line: tries the lock under which a line's marks move. Tried, not waited for: sweeping again in a second is cheap.
create or replace function sluice.try_line(p_line text) returns boolean
language sql volatile
as $$
  select case
    when p_line like 'queue\_%' then pg_try_advisory_xact_lock(sluice.lock_class('model'), substr(p_line, 7)::int)
    when p_line like 'backlog\_%' then pg_try_advisory_xact_lock(sluice.lock_class('admit'), substr(p_line, 9)::int)
    else pg_try_advisory_xact_lock(sluice.lock_class('route'), hashtext(p_line))
  end
$$;
