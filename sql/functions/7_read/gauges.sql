-- Figures of the fleet, for metrics and `sluice top`.

-- call_counts: how many calls of each model have begun and ended since its counters were made: what
-- `sluice top` makes its rates of. Figures only: whoever may see the queues may see it. Reads two
-- sequences a model, no table of tasks.
-- Returns: one row a model. null: a crash took the counter. A count may step back when claims are
--          counted anew.
create or replace function sluice.call_counts()
returns table (model text, began bigint, ended bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return query select m.name, sluice.counter('claimed', m.id), sluice.counter('ended', m.id)
    from sluice.models m;
end
$$;

-- queue_gauges: what the HTTP front tells Prometheus of each model. breaker: 0 closed, 1 half open,
-- 2 open; max_unfinished: the model's, or the system's; oldest_ready_s: how long the oldest task
-- that may be called has waited, in the model's line or in that of one of its routes; blocked: why
-- no call may begin, the most lasting first (paused, parked, closed, breaker_open; null: one may);
-- no_worker: no live worker serves the model. Without JIT: while nobody has analyzed these small
-- tables their estimates make it compile for 700 ms.
create or replace function sluice.queue_gauges()
returns table (model text, queued int, in_flight bigint, waiting bigint, max_unfinished bigint,
  oldest_ready_s double precision,
               breaker int, blocked text, no_worker boolean)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with route as materialized (
    select r.route, (select min(sluice.oldest_ready(l))
      from unnest(sluice.lines_of_route(r.route)) l) as oldest
    from sluice.routes r where r.weight > 0 group by r.route),
  waiting as materialized (
    select m.name as model, min(route.oldest) as oldest
    from sluice.models m
    left join (sluice.routes r join route on route.route = r.route) on r.model = m.name
      and r.weight > 0
    group by m.name, m.id),
  live as materialized (
    select w from sluice.worker w join sluice.workers a on a.id = w.id where a.alive)
  select q.model, q.depth, q.in_flight, q.unfinished - q.depth - q.in_flight,
    coalesce(m.max_unfinished, s.max_unfinished)::bigint,
    greatest(0, q.oldest_ready_s,
      extract(epoch from clock_timestamp() - w.oldest))::double precision,
    case q.breaker when 'open' then 2 when 'half_open' then 1 else 0 end,
    case when q.state in ('paused', 'parked', 'closed', 'breaker open')
      then replace(q.state, ' ', '_') end,
    not exists (select from live l where sluice.serves(l.w, m))
  from sluice.queues q join sluice.models m on m.name = q.model join waiting w on w.model = q.model
  cross join sluice.settings s;
end
$$;

-- How many results there have been, for monitoring: counted as they are stored, for the table
-- grows, and is cut by retention.

-- fleet_gauges: what the HTTP front tells Prometheus of the whole installation. Reads four
-- sequences and the workers' rows.
-- Returns: one row. workers: that have proved life within settings.heartbeat_timeout; the others:
--          results so far with that status, since the database last crashed; notify_usage: how full
--          the server's queue of notifications was, 0 to 1, when somebody looked: an awake worker
--          does each second.
create or replace function sluice.fleet_gauges()
returns table (workers bigint, solved bigint, failed bigint, cancelled bigint, expired bigint,
  notify_usage double precision)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select (select count(*) from sluice.workers w where w.alive),
    coalesce(pg_sequence_last_value('sluice.results_solved'), 0),
      coalesce(pg_sequence_last_value('sluice.results_failed'), 0),
    coalesce(pg_sequence_last_value('sluice.results_cancelled'), 0),
      coalesce(pg_sequence_last_value('sluice.results_expired'), 0),
    sluice.notify_usage() / 1000.0::double precision;
end
$$;
