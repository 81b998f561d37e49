-- Backpressure: no accepted task is ever dropped, so tasks that are too many are refused at submit,
-- with a hint how long to wait.
--
-- Three bounds limit unfinished tasks (those that wait or are under way): a model's max_unfinished,
-- a tenant's, and settings.max_unfinished for the whole system. Nothing is counted when a task
-- moves. A gauge goes up with every submitted task, by itself or with the ids, and never down, so
-- it is an upper bound. It is an unlogged sequence: load_<model id>, load_all (the system) or
-- load_tenant_<md5 of a capped tenant's name>. Only when a gauge says "full" the tasks are counted,
-- and the gauge is set to the count. That corrects all other deviations, too: tasks that ended,
-- submits that were rolled back or refused, a crash. Retries, reroutes, redrives and moves by jobs
-- are never refused; a gauge includes them: redrives and moves at once (note_unfinished), others
-- from the next count on. The bounds are exact except for submits in other transactions that are
-- open during a count.
-- A fourth bound limits the tasks that wait in one line: a model's max_queue; a route's is the sum
-- of its models'. Its gauge, waits_<l>, is maintained only where there is such a bound (D-049).

-- pressure: how close p_unfinished tasks are to p_max: normal, warning, critical or overflow. The
-- only place that decides this. Readers call it by the views: each operator's types are equal, so
-- that none of another schema fits better.
create or replace function sluice.pressure(p_unfinished bigint, p_max bigint) returns text
language sql immutable parallel safe
as $$
  select case
    when p_unfinished::float8 >= sluice.overflow_share() * p_max::float8 then 'overflow'
    when p_unfinished::float8 >= sluice.critical_share() * p_max::float8 then 'critical'
    when p_unfinished::float8 >= 0.70::float8 * p_max::float8 then 'warning'
    else 'normal' end
$$;

-- max_unfinished_of: the bound of a model: its own, or the settings'.
create or replace function sluice.max_unfinished_of(p_model int) returns bigint
language plpgsql stable
as $$
begin
  return (select coalesce(m.max_unfinished, s.max_unfinished) from sluice.settings s,
    sluice.models m where m.id = p_model);
end
$$;

-- accept: takes headroom for new tasks, for all or none. Submits of one task draw from the gauge
-- themselves, and call this function only when it says "full".
-- Params:  also p_max: the bound (null: max_unfinished_of a model); p_share: the share of it from
--          which on tasks are refused: 1, or critical_share() for clients of the HTTP front.
-- Errors:  SL003, SL005: as refuse.
create or replace function sluice.accept(
  p_kind text, p_of text, p_tasks int, p_max bigint, p_share double precision, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_full double precision := least(p_share, sluice.full_share(p_kind));
begin
  if p_max is null then
    p_max := sluice.max_unfinished_of(p_of::int);
  end if;
  if sluice.take_headroom(p_kind, p_of, p_tasks, p_max, v_full, p_tasks) = 0 then
    perform sluice.refuse(p_kind, p_of, p_tasks, p_max, v_full, p_now);
  end if;
end
$$;

-- accept_for_route: takes headroom for p_tasks tasks of a route some of whose models have bounds of
-- their own. One model is drawn by weight, as a count would share the tasks out; what it has no
-- headroom for goes to others. The gauges of these are set by a count first, because every count
-- shares the route's waiting tasks out anew and may have moved some from the full model to them;
-- only while they must not be counted again they are used as they are.
-- Returns: how many tasks may wait in the route's line, the sum of its models' max_queue; null: any
--          number.
-- Errors:  SL003: a route refuses only when all its models are full. A route whose models have no
--          weight is bounded by the system alone.
create or replace function sluice.accept_for_route(
  p_route text, p_tasks int, p_share double precision, p_now timestamptz)
returns int
language plpgsql volatile
as $$
declare
  v_full double precision := least(p_share, sluice.overflow_share());
  v_left int := p_tasks;
  v_count boolean := false;
  v_max_queue int;
  v record;
begin
  for v in select m.id::text as id, coalesce(m.max_unfinished, s.max_unfinished) as max,
             case when bool_and(m.max_queue is not null) over ()
               then least(sum(m.max_queue) over (), 2147483647)::int end as max_queue
           from sluice.settings s, sluice.routes r join sluice.models m on m.name = r.model
           where r.route = p_route and r.weight > 0 order by -ln(1 - random()) / r.weight loop
    v_max_queue := v.max_queue;
    v_left := v_left - case when v_count
      then sluice.recount_headroom('model', v.id, v_left, v.max, v_full)
      else sluice.take_headroom('model', v.id, v_left, v.max, v_full) end;
    exit when v_left = 0;
    v_count := sluice.may_count('model', v.id, v_full);
  end loop;
  if found and v_left > 0 then
    perform sluice.refuse('route', p_route, p_tasks, null, v_full, p_now);
  end if;
  return v_max_queue;
end
$$;

-- accept_many: takes headroom for a whole submit_many, for all tasks or none: from the gauges of
-- the system, of tenants with caps, of models and of lines.
-- Params:  p_destinations: from destinations_of; p_share: of the system's and the models' bounds,
--          as for accept.
create or replace function sluice.accept_many(
  p_destinations sluice.task_destination[], p_share double precision, p_now timestamptz)
returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan  -- else one statement is planned at each call, 0.2 ms
as $$
declare
  v_unlisted text[];
  v record;
begin
  perform sluice.accept('system', null, (select sum(a.tasks) from unnest(p_destinations) a)::int,
    s.max_unfinished, p_share, p_now)
  from sluice.settings s;
  for v in select n.tenant, n.tasks, l.max_unfinished as max, l.is_full, l.is_listed
           from (select a.tenant, sum(a.tasks)::int as tasks from unnest(p_destinations) a
             group by a.tenant) n
           cross join lateral sluice.limits_of(n.tenant) l
           where l.max_unfinished is not null or l.is_full or not l.is_listed order by n.tenant loop
    if v.is_full then
      perform sluice.refuse_full_tenant(v.tenant);
    elsif v.max is not null then
      perform sluice.accept('tenant', v.tenant, v.tasks, v.max, 1, p_now);
    elsif not v.is_listed then
      v_unlisted := v_unlisted || v.tenant;
    end if;
  end loop;
  if v_unlisted is not null then
    perform sluice.note_tenants(v_unlisted);
  end if;
  for v in select n.line, n.route, n.tasks, m.id, m.max_queue
           from (select a.line, a.model, a.route, sum(a.tasks)::int as tasks
                 from unnest(p_destinations) a group by a.line, a.model, a.route) n
           left join sluice.models m on m.id = n.model order by n.line loop
    if v.id is not null then
      perform sluice.accept('model', v.id::text, v.tasks, null, p_share, p_now);
    elsif v.route is not null and exists (select from sluice.models where max_unfinished is not null
      or max_queue is not null) then
      v.max_queue := sluice.accept_for_route(v.route, v.tasks, p_share, p_now);
    end if;
    if v.max_queue is not null then
      perform sluice.accept('line', v.line::text, v.tasks, v.max_queue, 1, p_now);
    end if;
  end loop;
end
$$;

-- refuse: raises the error that says what is full, how full, and how long to wait. For a route, and
-- for its line, the wait is that of the model that has headroom soonest. If the gauge must not be
-- counted now, it is not counted for the message either, which then says what the gauge does.
-- Params:  p_kind, p_of: also route and its name; p_tasks: the new tasks; p_max (null: the
--          model's); p_full: as for take_headroom.
-- Errors:  SL003; for a tenant SL005.
create or replace function sluice.refuse(
  p_kind text, p_of text, p_tasks int, p_max bigint, p_full double precision, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_route text := case p_kind when 'route' then p_of when 'line'
    then (select l.route from sluice.route_line l where l.n = -p_of::int) end;
  v_model sluice.models;
  v_counted text;
  v_of text;
  v_id text := coalesce(case p_kind when 'line'
    then (select l.model::text from sluice.route_line l where l.n = -p_of::int) end, p_of);
  v_full bigint;
  v_how text := case when p_full < sluice.overflow_share() then 'nearly full' else 'full' end;
begin
  if p_kind in ('route', 'model', 'line') then
    select m.* into v_model from sluice.models m left join sluice.routes r on r.model = m.name
      and r.route = v_route
    where case when v_route is null then m.id::text = v_id else r.weight > 0 end
    order by m.paused, greatest(m.closed_until, p_now),
      (sluice.request_quota(m)).interval_ns nulls last, m.id limit 1;
  end if;
  p_max := coalesce(p_max, sluice.max_unfinished_of(v_model.id));
  v_counted := case p_kind when 'route' then 'model' else p_kind end;
  v_of := case p_kind when 'route' then v_model.id::text else p_of end;
  v_full := case when sluice.may_count(v_counted, v_of, p_full)
    then sluice.count_unfinished(v_counted, v_of, p_max)
    else least(p_max, sluice.gauge_usage(sluice.gauge(v_counted, v_of),
      sluice.counts_by_ids(v_counted, v_of))) end;
  raise exception '%', case p_kind
      when 'system' then 'the queue is full: '
      when 'tenant' then format('tenant "%s" is at its cap: ', p_of)
      when 'route' then format('route "%s" is %s, for all its models are: "%s" has ', p_of, v_how,
        v_model.name)
      else format('%s "%s" is %s: ', case when v_route is null then 'model' else 'route' end,
        coalesce(v_route, v_model.name), v_how) end
    || format('%s of %s %s', v_full, p_max, case p_kind when 'line' then 'may wait (max_queue)'
      else 'unfinished' end)
    || case when p_tasks > 1 then format(', no room for %s more', p_tasks) else '' end
  using errcode = case p_kind when 'tenant' then 'SL005' else 'SL003' end, hint = case
    when p_tasks > p_max then format('It takes %s at most: submit fewer at a time.', p_max)
    when p_kind = 'system'
      then 'Try again in a few seconds, when some tasks have ended, or raise '
           'sluice.settings.max_unfinished.'
    when p_kind = 'tenant'
      then 'Wait until some of its tasks have ended, cancel some, or raise '
           'sluice.tenants.max_unfinished.'
    else sluice.when_to_retry(v_model, v_full, p_tasks, p_max, p_full, p_now) end;
end
$$;

-- when_to_retry: how long to wait until p_tasks more fit into model p_model, with p_unfinished of
-- p_max tasks, where the share p_full counts as full: (tasks that must end first) x (interval of
-- its permits), and not before the model opens. At most 60 s, because by then other tasks may have
-- come or gone. Without a quota the rate is not known, and none is guessed.
create or replace function sluice.when_to_retry(
  p_model sluice.models, p_unfinished bigint, p_tasks int, p_max bigint, p_full double precision,
  p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_excess bigint := greatest(1, p_unfinished + p_tasks - p_max,
    p_unfinished + 1 - ceil(p_full * p_max));
  v_seconds numeric;
begin
  if p_model.paused then
    return format('It is paused: select sluice.resume(%L) lets it go on.', p_model.name);
  elsif p_model.closed_until = 'infinity' then
    return format('It is parked: select sluice.resume(%L) lets it go on.', p_model.name);
  end if;
  v_seconds := coalesce(extract(epoch from greatest(p_model.closed_until, p_now) - p_now), 0)
    + coalesce(v_excess * (sluice.request_quota(p_model)).interval_ns / 1e9, 0);
  return case when v_seconds = 0
    then 'Try again in a few seconds, when some of its tasks have ended.'
    else format('Try again in about %s s.', ceil(greatest(1, least(60, v_seconds)))) end;
end
$$;

-- after_tenant_changes: creates the gauge of a tenant with a cap. After a change of the cap the
-- next submit counts.
create or replace function sluice.after_tenant_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
set client_min_messages = 'warning'  -- not that there was no such sequence
as $$
declare
  v_gauge text := 'load_tenant_' || md5(new.name);
begin
  if tg_op = 'UPDATE' and old.name <> new.name then
    execute format('drop sequence if exists sluice.%I cascade',
      'load_tenant_' || md5(old.name));
  end if;
  if new.max_unfinished is not null then
    if to_regclass('sluice.' || v_gauge) is null then
      perform sluice.make_gauge(v_gauge);
    end if;
    perform setval(('sluice.' || v_gauge)::regclass, sluice.gauge_unknown());
  end if;
  return null;
end
$$;

create or replace trigger after_tenant_inserted after insert on sluice.tenants
  for each row execute function sluice.after_tenant_changes();
create or replace trigger after_tenant_updated after update on sluice.tenants
  for each row when ((old.name, old.max_unfinished) is distinct from (new.name, new.max_unfinished))
  execute function sluice.after_tenant_changes();
