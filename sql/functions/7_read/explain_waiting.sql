-- explain for a ready task: how many tasks are ahead, which models may take it, when, and what
-- prevents them.

-- unserved_phrase: why no worker can take a task of a model now, in words, or null.
-- Params:  p_live: how many live workers serve it; p_slots, p_busy: their slots, and how many of
--          these have a call; p_in_flight, p_max_in_flight: its calls.
create or replace function sluice.unserved_phrase(
  p_live bigint, p_slots bigint, p_busy bigint, p_in_flight bigint, p_max_in_flight int)
returns text
language sql immutable parallel safe
as $$
  select case when p_live = 0 then 'no live worker serves the model'
    when p_max_in_flight <= p_in_flight
      then format('all calls that max_in_flight allows are under way (%s)', p_max_in_flight)
    when p_busy >= p_slots then format('all slots of its workers are busy (%s)', p_slots) end
$$;

-- unserved_text: why no worker can take a task of a model now, or null.
-- Params:  p_version: of its payload; null: none.
create or replace function sluice.unserved_text(
  p_model sluice.models, p_now timestamptz, p_version text default null)
returns text
language plpgsql volatile
as $$
declare
  v_workers bigint[] := sluice.live_workers(p_model, p_now, p_version);
begin
  if v_workers = '{}' and p_version is not null
    and sluice.live_workers(p_model, p_now) <> '{}' then
    return format('no live worker serves schema version %s', p_version);
  end if;
  return sluice.unserved_phrase(cardinality(v_workers),
    (select sum(slots) from sluice.worker where id = any (v_workers)),
    (select count(*) from sluice.lease where worker = any (v_workers)),
    sluice.in_flight(p_model.id), p_model.max_in_flight);
end
$$;

-- explain_queued: for a task that is ready in line p_line; null if it is not there.
create or replace function sluice.explain_queued(p_task sluice.task, p_line int, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_model sluice.models := (select m from sluice.models m
    where p_task.route is null and m.id = p_task.model);
  v_ahead record := sluice.tasks_ahead(p_task.id, p_line, p_now);
  v_deadline timestamptz;
begin
  if v_ahead.tasks is null then
    return null;
  end if;
  execute format('select deadline from sluice.%I where task_id = $1',
    sluice.place_of(p_line))
  into v_deadline using p_task.id;
  return format('queued for %s: %s, %s',
    case when v_model.id is null then 'route ' || p_task.route
        else v_model.name || coalesce(' of route ' || p_task.route, '') end
      || coalesce(' (schema version ' || p_task.schema_version || ')', '')
      || coalesce(sluice.home_text(p_line), ''),
    sluice.ahead_text(v_ahead.tasks, v_ahead.routed),
    concat_ws(', ', case when v_model.id is null
      then sluice.takers_text(p_task.route, p_task.api, p_line, p_now) end,
      coalesce(case when v_model.id is not null then coalesce(sluice.closed_text(v_model, p_now),
        sluice.unserved_text(v_model, p_now, p_task.schema_version)) end,
        sluice.tenant_text(p_task.tenant, v_ahead.tasks, p_now),
        case when v_model.id is not null then coalesce(sluice.permit_text(v_model,
            v_ahead.tasks, p_now),
          case when v_ahead.tasks = 0 then 'next to be claimed'
            else 'claimed as slots become free' end) end)))
    || sluice.deadline_text(v_deadline, p_now);
end
$$;

-- home_text: which model is the home of a line's tasks, in words, or null.
create or replace function sluice.home_text(p_line int) returns text
language plpgsql stable
as $$
begin
  return (select format(' (home: %s)', coalesce(m.name, 'a deleted model'))
    from sluice.route_line l left join sluice.models m on m.id = l.model
    where l.n = -p_line and l.route is not null and l.model is not null);
end
$$;

-- takers_text: which models could take a task of route line p_line now, and why each of the others
-- does not; by name, at most 5 of each kind.
create or replace function sluice.takers_text(
  p_route text, p_api text, p_line int, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_can text[];
  v_cannot text[];
begin
  select array_agg(m.name order by m.name) filter (where m.why is null),
    -- without brackets within brackets
    array_agg(format('%s (%s)', m.name, regexp_replace(m.why, E' \\((.*)\\)$', E': \\1'))
      order by m.name) filter (where m.why is not null)
  into v_can, v_cannot
  from (select m.name, sluice.blocked_text(m, p_line, p_now, r.tier) as why from sluice.routes r
    join sluice.models m on m.name = r.model
        where r.route = p_route and r.weight > 0 and coalesce(m.api = p_api, true) offset 0) m;
  if v_can is null and v_cannot is null then
    return sluice.route_text(p_route, p_api, p_now);
  end if;
  return case when v_can is null then 'no model can take it now: ' || sluice.some_text(v_cannot)
    else concat_ws('; ', 'can be taken by ' || sluice.some_text(v_can),
      'not by ' || sluice.some_text(v_cannot)) end
    || case when pg_is_in_recovery() and exists (
        select from sluice.routes r join sluice.models m on m.name = r.model
        where r.route = p_route and r.weight > 0 and num_nonnulls(m.rpm, m.tpm) > 0)
      then ', their permits unknown on a standby' else '' end;
end
$$;

-- some_text: the first 5 of p_texts, and the number of the others.
create or replace function sluice.some_text(p_texts text[]) returns text
language sql immutable
as $$
  select array_to_string(p_texts[:5], ', ')
    || case when cardinality(p_texts) > 5 then format(' and %s more',
      cardinality(p_texts) - 5) else '' end
$$;

-- blocked_text: why model p_model, of tier p_tier, does not take tasks of route line p_line now, or
-- null. The longest-lasting reason first.
create or replace function sluice.blocked_text(
  p_model sluice.models, p_line int, p_now timestamptz, p_tier int default 1)
returns text
language plpgsql volatile
as $$
declare
  v_line sluice.route_line := (select l from sluice.route_line l where l.n = -p_line);
begin
  return coalesce(sluice.closed_text(p_model, p_now), sluice.unserved_text(p_model, p_now,
      v_line.version),
    case when sluice.permits_now(p_model, p_now) <= 0 then sluice.permit_text(p_model, null, p_now)
      when v_line.route is not null and v_line.model is not null
        then case when p_model.id <> v_line.model
          and not sluice.leaves_home(p_line, v_line.model, false, p_now)
            then 'not the home of its key' end
      when p_tier > 1 and not pg_is_in_recovery()
        and sluice.is_left_to_earlier(p_line, p_tier, p_now)
        then format('of tier %s, and an earlier one takes them', p_tier)
      when not pg_is_in_recovery()
           and coalesce((sluice.meter_of(p_line, p_model.id)).at
             not between p_now - sluice.asks_for() and p_now, true)
        then format('has not asked for %s s', extract(epoch from sluice.asks_for())::int) end);
end
$$;

-- tasks_ahead: how many of the tasks that wait now will be taken before one that waits in line
-- p_line, if all are equally long: those of better rank, older ones of its tenant and, beside each
-- of these, other tenants' tasks according to their weights. For a task of a model's own line, the
-- lines of the model's routes count as well, by the part of their tasks that the model may expect
-- to take.
-- Returns: tasks: counted to ahead_max + 1, of the first 64 lanes of each line; null: the task is
--          not there; routed: how many of them are routes'.
create or replace function sluice.tasks_ahead(
  p_task bigint, p_line int, p_now timestamptz, out tasks int, out routed int)
language plpgsql volatile
as $$
declare
  v_model sluice.models := (select m from sluice.models m where m.id = p_line);
  v_lines int[] := case when p_line > 0 then sluice.lines_for(v_model) else array[p_line] end;
  v_heads sluice.head[] := array(
    select h from unnest(v_lines) l
    cross join lateral unnest(sluice.lane_heads(l, sluice.window_max(), p_now => p_now)) h);
  v_best smallint := sluice.best_rank(v_heads);
  v_ageing interval := (select ageing from sluice.settings);
  v_me record;
begin
  execute format('select q.rank, q.ready_at, q.tenant, sluice.tenant_key(q.tenant) as key '
                 'from sluice.%I q where q.task_id = $1',
    sluice.place_of(p_line)) into v_me using p_task;
  if v_me.rank is null then
    return;
  end if;
  with me as (
    select greatest(v_best, sluice.aged_rank(v_me.rank, v_me.ready_at, p_now, v_ageing)) as aged,
      coalesce((select t.weight from sluice.tenants t where t.name = v_me.tenant), 1) as weight),
  part as materialized (select l as line, sluice.line_part(l, v_model, p_now) as part
    from unnest(v_lines) l),
  lane as materialized (
    select h, h.tenant, h.tenant = v_me.key as own, h.line < 0 and p_line > 0 as routed, p.part,
      l.aged < me.aged as better,
      coalesce((select t.weight from sluice.tenants t where sluice.tenant_key(t.name) = h.tenant),
        1) / me.weight as weight
    from unnest(v_heads) h join part p on p.line = h.line cross join me
    cross join lateral (
      select greatest(v_best, sluice.aged_rank(h.rank, h.ready_at, p_now, v_ageing)) as aged) l
    where l.aged <= me.aged),
  counted as materialized (
    select l.*, l.part * case when l.own and not l.better
      then sluice.count_lane(l.h, v_me.ready_at, p_task)
      else sluice.count_lane(l.h) end as n
    from lane l),
  mine as (select coalesce(sum(c.n) filter (where c.own and not c.better), 0) as n from counted c),
  before as (
    -- A tenant's turns are his in all lines together.
    select c.routed, case when c.better or c.own then c.n
        else c.n * least(1, floor((m.n + 0.5) * c.weight)
          / nullif(sum(c.n) over (partition by c.tenant, c.better), 0)) end as n
    from counted c, mine m)
  select least(sluice.ahead_max() + 1, round(sum(b.n))), round(sum(b.n) filter (where b.routed))
  into tasks, routed from before b;
  tasks := coalesce(tasks, 0);
end
$$;

-- line_part: which part of the tasks in line p_line a model may expect to take: all of its own
-- line, and of those whose home it is; of a route's according to its weight among the models that
-- can call now. A standby cannot tell which can: there it is the weight among all.
create or replace function sluice.line_part(p_line int, p_model sluice.models, p_now timestamptz)
returns double precision
language plpgsql volatile
as $$
declare
  v_weight double precision;
  v_tier int;
  v_home int := (select l.model from sluice.route_line l
    where l.n = -p_line and l.route is not null);
begin
  if v_home is not null then
    return (v_home = p_model.id)::int;
  end if;
  select r.weight, r.tier into v_weight, v_tier
  from sluice.route_line l join sluice.routes r on r.route = l.route
  where l.n = -p_line and r.model = p_model.name;
  if pg_is_in_recovery() then
    return coalesce(v_weight / (
      select sum(r.weight::float8)
      from sluice.route_line l join sluice.routes r on r.route = l.route
      join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
      where l.n = -p_line and r.weight > 0), v_weight, 1);
  end if;
  return case when v_weight = 0 or v_tier > 1
      and sluice.is_left_to_earlier(p_line, v_tier, p_now) then 0
    else coalesce(v_weight / (v_weight + sluice.route_weight(p_line, p_model.id, p_now, v_tier)), 1)
      end;
end
$$;

-- count_lane: how many tasks wait in the lane of p_head, at most ahead_max + 1. It counts from the
-- head on, so that it does not walk over dead rows.
-- Params:  p_ready_at, p_task: only tasks before this one.
-- twin: tenant_key (change all alike)
create or replace function sluice.count_lane(
  p_head sluice.head, p_ready_at timestamptz default null, p_task bigint default null)
returns int
language plpgsql volatile
as $$
declare
  v_count int;
begin
  execute format('select count(*) from (
      select from sluice.%I q
      where q.rank = $1 and (hashtextextended(q.tenant, 0) >> 1) = $2 and q.ready_at >= $3
        and ($4 is null or (q.ready_at, q.task_id) < ($4, $5)) limit $6) q',
    sluice.place_of(p_head.line))
  into v_count using p_head.rank, p_head.tenant, p_head.ready_at, p_ready_at, p_task,
    sluice.ahead_max() + 1;
  return v_count;
end
$$;

-- permit_text: what the quotas of an open model with a worker let a task expect; null without a
-- quota. A standby does not know. If only a quota of requests decides, a task with p_ahead others
-- ahead (null: not known) gets permit p_ahead + 1; how many tokens the others will take is not
-- known.
create or replace function sluice.permit_text(p_model sluice.models, p_ahead int, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_now_free bigint := sluice.permits_now(p_model, p_now);
  v_limits text := concat_ws(', ', 'rpm ' || p_model.rpm, 'tpm ' || p_model.tpm);
  v_start text := case when p_model.tpm is null then
    sluice.clock_text(sluice.permit_at(sluice.request_quota(p_model), p_now, p_ahead), p_now) end;
begin
  if p_model.rpm is null and p_model.tpm is null then
    return null;
  elsif pg_is_in_recovery() then
    return format('permits unknown on a standby (%s)', v_limits);
  end if;
  return case when coalesce(v_now_free > 0, true)
      then concat_ws(': ', 'permits now', v_now_free) || ' (' || v_limits || ')'
      else format('next permit %s (%s)', sluice.clock_text(sluice.permit_at(p_model, p_now), p_now),
        v_limits) end
    || case when p_ahead between v_now_free and sluice.ahead_max()
       then coalesce(', expected start ' || v_start, '') else '' end;
end
$$;
