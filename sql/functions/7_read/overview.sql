-- The overview: one row for each model, for a page that is looked at all day. Everything that it
-- counts has a bound, and all that is told of one model comes from sequences or looks by key.

-- overview_rows_max: how many rows of queues one overview counts, of all models together: some
-- 10 ms.
create or replace function sluice.overview_rows_max() returns int
language sql immutable parallel safe
as $$ select 40000 $$;

-- line_load: how many tasks wait in a line, counting p_max of them, and since when the oldest one
-- of these does. It reads the rows with the lowest ids, which were submitted first. The statement
-- is planned anew each time, for 0.1 ms: plans of the functions of 200 lines (lanes_<l>) would take
-- each new session 0.3 s.
-- Returns: tasks: p_max or more: as many as PostgreSQL's statistics say, at least p_max.
create or replace function sluice.line_load(p_line int, p_max int, out tasks bigint,
  out since timestamptz)
language plpgsql volatile
as $$
declare
  v_queue regclass := to_regclass('sluice.queue_' || sluice.line_name(p_line));
begin
  tasks := 0;
  if v_queue is not null then
    execute format('select count(*), min(q.ready_at) from (
      select q.ready_at from %s q order by q.task_id limit $1) q', v_queue)
    into tasks, since using p_max;
  end if;
  if tasks >= p_max then
    tasks := greatest(p_max, pg_stat_get_live_tuples(v_queue));
  end if;
exception when undefined_table then  -- its model or route was deleted just now
  tasks := 0;
end
$$;

-- line_loads: line_load of each of the lines that may have work.
create or replace function sluice.line_loads()
returns table (line int, tasks bigint, is_estimate boolean, since timestamptz)
language plpgsql volatile
as $$
declare
  v_lines int[] := array(select distinct r.line from sluice.ready_line r);
  v_max int := greatest(100, sluice.overview_rows_max() / greatest(1, cardinality(v_lines)));
begin
  return query
  select l.line, o.tasks, o.tasks >= v_max, o.since
  from unnest(v_lines) l(line) cross join lateral sluice.line_load(l.line, v_max) o;
end
$$;

-- model_loads: how many tasks wait for each model: ready ones of its own line, those in later that
-- named it and, by weight, its share of those that wait in its routes (queues shares these out
-- exactly, which takes longer).
-- Returns: depth, since: of its own line; waiting: the others.
create or replace function sluice.model_loads()
returns table (model int, depth bigint, waiting bigint, is_estimate boolean, since timestamptz)
language plpgsql volatile
as $$
declare
  c_later_max constant int := 1000;  -- of each model and each route
begin
  return query
  with load as materialized (select * from sluice.line_loads()),
  own as materialized (
    select case when l.line > 0 then l.line else n.model end as model,
      sum(l.tasks)::bigint as tasks, bool_or(l.is_estimate) as is_estimate, min(l.since) as since
    from load l left join sluice.route_line n on n.n = -l.line
    where l.line > 0 or n.route is null group by 1),
  part as materialized (
    select r.route, r.model, r.weight / sum(r.weight::float8) over (partition by r.route) as part
    from sluice.routes r where r.weight > 0),
  routed as materialized (
    select r.route, (select count(*) from (select from sluice.later l where l.route = r.route
        limit c_later_max) l) + coalesce(sum(o.tasks), 0) as tasks,
      bool_or(o.is_estimate) as is_estimate
    from (select distinct p.route from part p) r
    left join (sluice.route_line n join load o on o.line = -n.n) on n.route = r.route
    group by r.route),
  share as materialized (
    select p.model, sum(p.part * r.tasks) as tasks, bool_or(r.is_estimate) as is_estimate
    from part p join routed r on r.route = p.route where r.tasks > 0 group by p.model)
  select m.id, coalesce(o.tasks, 0), d.tasks + coalesce(round(s.tasks)::bigint, 0),
    coalesce(o.is_estimate, false) or coalesce(s.is_estimate, false) or d.tasks = c_later_max,
    o.since
  from sluice.models m left join own o on o.model = m.id left join share s on s.model = m.name
  cross join lateral (select count(*) as tasks from (select from sluice.later l
    where l.model = m.id limit c_later_max) l) d;
end
$$;

-- model_ends: how calls of each model ended of late, from the newest 5,000 results: by their key,
-- and without their texts.
-- Returns: a row for each model, by its name at that time. solved, failed, p50_s, p99_s (from the
--          claim to the stored result, of solved tasks): of 10 minutes; calls, tokens: a minute,
--          over the last one, or as much of it as these results cover.
create or replace function sluice.model_ends(p_now timestamptz)
returns table (model text, solved bigint, failed bigint, p50_s double precision,
  p99_s double precision, calls double precision, tokens double precision)
language plpgsql volatile
as $$
declare
  c_looked_at_max constant int := 5000;
begin
  return query
  with newest as materialized (
    select r.model, r.status, r.finished_at, r.started_at,
      coalesce(r.input_tokens, 0)::bigint + coalesce(r.output_tokens, 0) as tokens,
      case when r.status = 'solved' then sluice.seconds_between(r.started_at, r.finished_at) end
        as took_s
    from sluice.result r order by r.task_id desc limit c_looked_at_max),
  minute as materialized (
    select p_now - case when count(*) < c_looked_at_max then interval '1 minute' else greatest(
      least(p_now - min(n.finished_at), interval '1 minute'), interval '1 second') end as since
    from newest n)
  select n.model, count(*) filter (where n.status = 'solved'),
    count(*) filter (where n.status = 'failed'), (percentile_cont(0.5) within group (
      order by n.took_s)), (percentile_cont(0.99) within group (order by n.took_s)),
    count(*) filter (where n.started_at is not null and n.finished_at > m.since)
      / extract(epoch from p_now - m.since)::double precision * 60,
    coalesce(sum(n.tokens) filter (where n.finished_at > m.since), 0)
      / extract(epoch from p_now - m.since)::double precision * 60
  from newest n cross join minute m
  where n.model is not null and n.finished_at > p_now - interval '10 minutes'
  group by n.model, m.since;
end
$$;

-- why_text: why a model is not faster, in one phrase, the longest-lasting reason first, in the
-- words of explain.
-- Params:  p_state: model_state; p_ready, p_waiting: of model_loads; p_live, p_slots, p_busy:
--          its workers, as for unserved_phrase; p_permits: null: it has no quota.
create or replace function sluice.why_text(
  p_model sluice.models, p_state text, p_ready bigint, p_waiting bigint, p_live bigint,
  p_slots bigint, p_busy bigint, p_in_flight bigint, p_permits int, p_now timestamptz)
returns text
language plpgsql volatile
as $$
begin
  return coalesce(
    case when p_state <> 'open' then sluice.closed_text(p_model, p_now) end,
    case when p_live = 0 then sluice.unserved_phrase(p_live, p_slots, p_busy, p_in_flight, null)
      when p_ready + p_waiting = 0 then 'nothing waits'
      when p_ready = 0 and not exists (
          select from sluice.routes r where r.model = p_model.name and r.weight > 0)
        then 'what waits is for later: for its time, a retry, or room in a budget'
      else sluice.unserved_phrase(p_live, p_slots, p_busy, p_in_flight, p_model.max_in_flight) end,
    case when p_permits <= 0 or pg_is_in_recovery()
      then sluice.permit_text(p_model, null, p_now) end,
    'claimed as slots become free');
end
$$;

-- overview: one row for each model, by name: how deep, how busy, how near to its limits, how its
-- calls end, and why it is not faster. It tells what sluice.queues tells, and answers in time with
-- any number of tasks and tenants: depth and unfinished are estimates where is_estimate says so,
-- oldest_ready_s is that of the tasks submitted first.
-- Returns: permits_now: null without a quota, and on a standby; next_permit_at: null while a call
--          may begin; why: in the words of explain; calls_per_min to p99_s: of the newest 5,000
--          results of the last 10 minutes.
create or replace function sluice.overview(p_now timestamptz default null)
returns table (model text, api text, paused boolean, state text, state_reason text,
  state_until timestamptz, breaker text, pressure text, depth bigint, in_flight bigint,
  unfinished bigint, is_estimate boolean, max_unfinished bigint, max_in_flight int,
  oldest_ready_s double precision, rpm int, tpm int, calls_per_min double precision,
  tokens_per_min double precision, permits_now int, next_permit_at timestamptz,
  solved_10min bigint, failed_10min bigint, p50_s double precision, p99_s double precision,
  why text)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
begin
  return query
  with live as materialized (
    select w, w.slots, (select count(*) from sluice.lease l where l.worker = w.id) as busy
    from sluice.worker w cross join sluice.settings s
    where w.dead_at is null and w.seen >= v_now - s.heartbeat_timeout),
  load as materialized (select * from sluice.model_loads()),
  ends as materialized (select * from sluice.model_ends(v_now)),
  fact as materialized (
    select m as row, l.depth, l.is_estimate, l.since, sluice.in_flight(m.id) as in_flight,
      l.waiting, sluice.permits_now(m, v_now) as permits, coalesce(b.state, 'closed') as breaker,
      b.reason, b.since as breaker_since, sluice.model_state(m, b.state, v_now) as state
    from sluice.models m join load l on l.model = m.id left join sluice.breaker b on b.model = m.id)
  select (f.row).name, (f.row).api, (f.row).paused, f.state,
    case when f.state in ('parked', 'closed')
        then sluice.shown_reason((f.row).closed_reason, (f.row).closed_detail)
      when f.state in ('breaker open', 'half open') then f.reason end,
    case when f.state in ('parked', 'closed') then (f.row).closed_until
      when f.state = 'breaker open' then f.breaker_since + (f.row).breaker_open end,
    f.breaker, sluice.pressure(f.depth + f.in_flight + f.waiting, u.max), f.depth, f.in_flight,
    f.depth + f.in_flight + f.waiting, f.is_estimate, u.max, (f.row).max_in_flight,
    sluice.seconds_between(f.since, greatest(f.since, v_now)), (f.row).rpm, (f.row).tpm,
    coalesce(e.calls, 0), coalesce(e.tokens, 0), f.permits,
    case when f.permits <= 0 then sluice.permit_at(f.row, v_now) end,
    coalesce(e.solved, 0), coalesce(e.failed, 0), e.p50_s, e.p99_s,
    sluice.why_text(f.row, f.state, f.depth, f.waiting, s.workers, s.slots, s.busy,
      f.in_flight, f.permits, v_now)
  from fact f left join ends e on e.model = (f.row).name
  cross join lateral (select coalesce((f.row).max_unfinished, o.max_unfinished) as max
    from sluice.settings o) u
  cross join lateral (select count(*) as workers, sum(v.slots) as slots, sum(v.busy)::bigint as busy
    from live v where sluice.serves(v.w, f.row)) s
  order by 1;
end
$$;
