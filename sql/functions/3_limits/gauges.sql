-- Gauges: upper bounds of how many tasks are unfinished, or wait, each in an unlogged sequence; for
-- the system, a tenant, a model or a line. A gauge either counts each new task, or goes by the ids
-- of tasks, which are drawn anyway; then it holds the last id at the last count minus the number
-- counted. The gauge of the system goes by ids, and so does that of a model without a bound of its
-- own, which is asked only when the system's is full.

-- overflow_share: a model refuses new tasks from this share of max_unfinished on. The rest is for
-- tasks under way.
create or replace function sluice.overflow_share() returns double precision
language sql immutable parallel safe
as $$ select 0.95::double precision $$;

-- critical_share: clients of the HTTP front are refused from this share of max_unfinished on. The
-- rest is for SQL and batches.
create or replace function sluice.critical_share() returns double precision
language sql immutable parallel safe
as $$ select 0.85::double precision $$;

-- full_share: from this share of a bound on everybody is refused.
create or replace function sluice.full_share(p_kind text) returns double precision
language sql immutable parallel safe
as $$ select case p_kind when 'model' then sluice.overflow_share() else 1 end $$;

-- gauge_unknown: from this value on a gauge holds a time, in microseconds since the epoch: until
-- then it counts as full and nobody counts again. If the time has passed, the next submit counts.
-- No number of tasks is as large; as a time the value is in 2001.
create or replace function sluice.gauge_unknown() returns bigint
language sql immutable parallel safe
as $$ select 1000000000000000 $$;

-- make_gauge: creates a gauge whose value is unknown.
create or replace function sluice.make_gauge(p_name text) returns void
language plpgsql volatile
as $$
begin
  execute format('create unlogged sequence sluice.%I minvalue 0 start %s', p_name,
    sluice.gauge_unknown());
end
$$;

-- gauge: the sequence of a gauge.
-- Params:  here and below: p_kind: system, tenant, model or line; p_of: the tenant's name, the
--          model's id, the line's number.
create or replace function sluice.gauge(p_kind text, p_of text) returns regclass
language plpgsql stable
as $$
begin
  return 'sluice.' || case p_kind
    when 'system' then 'load_all'
    when 'tenant' then 'load_tenant_' || md5(p_of)
    when 'model' then 'load_' || p_of
    else 'waits_' || sluice.line_name(p_of::int) end;
end
$$;

-- counts_by_ids: whether a gauge goes by ids.
create or replace function sluice.counts_by_ids(p_kind text, p_of text) returns boolean
language plpgsql stable
as $$
begin
  return p_kind = 'system' or p_kind = 'model' and exists (select from sluice.models m
    where m.id = p_of::int and m.max_unfinished is null);
end
$$;

-- critical_time: the sequence with the time before which nobody counts for the front: while a gauge
-- is between critical_share() and full_share(), SQL still finds room by it. Only the system and
-- models have one (D-379).
create or replace function sluice.critical_time(p_kind text, p_of text) returns regclass
language plpgsql stable
as $$
begin
  return 'sluice.critical_' || case p_kind when 'system' then 'all' else p_of end;
end
$$;

-- may_count: whether the tasks of a gauge may be counted now, that is, the last count did not take
-- too long; for a caller who is refused from the share p_full on.
create or replace function sluice.may_count(p_kind text, p_of text, p_full double precision)
returns boolean
language plpgsql volatile
as $$
begin
  return coalesce(greatest(pg_sequence_last_value(sluice.gauge(p_kind, p_of)),
    case when p_full < sluice.full_share(p_kind)
      then pg_sequence_last_value(sluice.critical_time(p_kind, p_of)) end)
    <= sluice.micros(clock_timestamp()), true);
end
$$;

-- gauge_usage: the value of a gauge, an upper bound. Null, or gauge_unknown or more: the tasks must
-- be counted.
create or replace function sluice.gauge_usage(p_gauge regclass, p_by_ids boolean) returns bigint
language plpgsql volatile
as $$
declare
  v_value bigint := pg_sequence_last_value(p_gauge);
  v_last bigint := coalesce(pg_sequence_last_value('sluice.task_id'::regclass), 0);
begin
  return case when not p_by_ids or v_value >= sluice.gauge_unknown() then v_value
    when v_value <= v_last then v_last - v_value end;  -- null: somebody has set the ids back
end
$$;

-- headroom: how many more tasks are let in when p_unfinished of p_max exist and the share p_full of
-- p_max counts as full.
create or replace function sluice.headroom(
  p_unfinished bigint, p_max bigint, p_full double precision)
returns bigint
language sql immutable parallel safe
as $$ select case when p_unfinished >= p_full * p_max then 0 else p_max - p_unfinished end $$;

-- own_unfinished: the unfinished tasks of model p_model, without its share of the tasks that wait
-- in routes. Uses the caller's pinned plan.
create or replace function sluice.own_unfinished(p_model int) returns bigint
language plpgsql volatile
as $$
begin
  return (select coalesce(sum(sluice.depth(l)), 0)::bigint
      from unnest(sluice.lines_of_model(p_model)) l)
    + (select count(*) from sluice.later where model = p_model)
    + (select count(*) from sluice.lease where model = p_model);
end
$$;

-- routed_tasks: how many of the tasks that wait in its routes are attributed to each of p_models.
-- Each task is attributed once: by weight, to the models of its route that are not full with other
-- tasks (or to all, if all are full), rounded so that the shares add up.
create or replace function sluice.routed_tasks(p_models int[])
returns table (model int, tasks bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query
  with line as materialized (
    select o.route, (select coalesce(sum(sluice.depth(l)), 0)
      from unnest(sluice.lines_of_route(o.route)) l)
      + (select count(*) from sluice.later l where l.route = o.route) as tasks
    from sluice.models m join sluice.routes o on o.model = m.name
    where m.id = any (p_models) and o.weight > 0 group by o.route),
  part as materialized (
    select l.route, l.tasks, m.id, r.weight::numeric,
      m.max_unfinished is null or l.tasks = 0
        or sluice.own_unfinished(m.id) < sluice.overflow_share() * m.max_unfinished as has_headroom
    from line l join sluice.routes r using (route) join sluice.models m on m.name = r.model
    where r.weight > 0),
  counted as materialized (
    select p.route, p.tasks, p.id,
      case when p.has_headroom or not bool_or(p.has_headroom) over (partition by p.route)
        then p.weight else 0 end as weight
    from part p),
  share as (
    select c.id, round(c.tasks * sum(c.weight) over upto / sum(c.weight) over whole)
               - round(c.tasks * (sum(c.weight) over upto - c.weight) / sum(c.weight) over
                 whole) as tasks
    from counted c
    window whole as (partition by c.route), upto as (partition by c.route order by c.id))
  select i.id, coalesce(sum(s.tasks), 0)::bigint
  from unnest(p_models) i(id) left join share s on s.id = i.id group by i.id;
end
$$;

-- count_unfinished: counts the tasks of a gauge one by one; done only when the gauge says "full".
-- For a line it counts the waiting tasks, up to p_max. A tenant's are found by its key, rank by
-- rank: a walk over everybody's 600,000 took 0.1 s, for which its submits were refused.
-- twin: tenant_key (change all alike)
create or replace function sluice.count_unfinished(
  p_kind text, p_of text, p_max bigint default null)
returns bigint
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_ranks smallint[] := case p_kind when 'tenant' then array(
    select r::smallint from generate_series(-sluice.rank_max()::int, sluice.rank_max()) r) end;
begin
  return case p_kind
    when 'system' then (select count(*) from sluice.later) + (select count(*) from sluice.queue)
      + (select count(*) from sluice.lease)
    when 'tenant' then (select count(*) from sluice.later
        where hashtextextended(tenant, 0) >> 1 = sluice.tenant_key(p_of) and tenant = p_of)
      + (select count(*) from sluice.queue where rank = any (v_ranks)
        and hashtextextended(tenant, 0) >> 1 = sluice.tenant_key(p_of) and tenant = p_of)
      + (select count(*) from sluice.lease where tenant = p_of)
    when 'model' then sluice.own_unfinished(p_of::int) + (select tasks
      from sluice.routed_tasks(array[p_of::int]))
    else sluice.depth(p_of::int, p_max::int) end;
end
$$;

-- invalidate_line_gauges: makes the next submit count what waits: in each line that model p_model
-- takes from, or in those of p_route. Called after a change of max_queue or of a route's models,
-- because the gauge of a line without a bound is not kept up to date.
-- Params:  p_max: only gauges below this; null: all.
create or replace function sluice.invalidate_line_gauges(
  p_model text, p_route text default null, p_max bigint default null)
returns void
language plpgsql volatile
as $$
begin
  perform setval(g.gauge, sluice.gauge_unknown())
  from (select m.id as line from sluice.models m where m.name = p_model
        union
        select -l.n from sluice.route_line l
        where l.route = p_route
          or l.route in (select r.route from sluice.routes r where r.model = p_model)) l
  cross join lateral (select sluice.gauge('line', l.line::text) as gauge) g
  where coalesce(pg_sequence_last_value(g.gauge) < p_max, true);
end
$$;

-- invalidate_gauges: makes the next submit to each model with a bound of its own count, because
-- redrives, tasks of routes and tasks that were put back are not added to its gauge. Called by
-- tick.
create or replace function sluice.invalidate_gauges() returns void
language plpgsql volatile
as $$
begin
  perform sluice.set_counter('load', m.id, sluice.gauge_unknown())
  from sluice.models m where m.max_unfinished is not null
    and sluice.counter('load', m.id) < sluice.gauge_unknown();
  perform sluice.invalidate_line_gauges(m.name, null, sluice.gauge_unknown()) from sluice.models m
    where m.max_queue is not null;
end
$$;
