-- Figures of the fleet, for metrics and `sluice top`.

-- call_counts: how many calls of each model have begun and ended since its counters were created;
-- the difference of two looks is a rate.
-- Returns: one row a model. null: the counter was lost in a crash, or this is a standby. A count
--          may go down when claims are recounted.
--
-- `sluice top` computes rates from them. Numbers only: everybody who may see the queues may see
-- them. Reads two sequences a model, no table of tasks.
create or replace function sluice.call_counts()
returns table (model text, began bigint, ended bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return query select m.name, sluice.counter('claimed', m.id), sluice.calls_ended(m.id)
    from sluice.models m;
end
$$;

-- queue_gauges: what the HTTP front exports to Prometheus for each model. breaker: 0 closed, 1 half
-- open, 2 open; max_unfinished: the model's, or the system's; oldest_ready_s: how long the oldest
-- task that may be called has waited in the model's line or one of its routes'; blocked: why no
-- call may begin, the longest-lasting reason first (paused, parked, closed, breaker_open; null: one
-- may); no_worker: no live worker serves the model. JIT is off: before these small tables are
-- analyzed their estimates would make it compile for 700 ms.
create or replace function sluice.queue_gauges()
returns table (model text, queued int, in_flight bigint, waiting bigint, max_unfinished bigint,
  oldest_ready_s double precision,
               breaker int, blocked text, no_worker boolean)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
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
    group by m.name, m.id)
  select q.model, q.depth, q.in_flight, q.unfinished - q.depth - q.in_flight,
    coalesce(m.max_unfinished, s.max_unfinished)::bigint,
    greatest(0, q.oldest_ready_s,
      extract(epoch from clock_timestamp() - w.oldest))::double precision,
    case q.breaker when 'open' then 2 when 'half_open' then 1 else 0 end,
    case when q.state in ('paused', 'parked', 'closed', 'breaker open')
      then replace(q.state, ' ', '_') end,
    sluice.live_workers(m, clock_timestamp()) = '{}'
  from sluice.queues q join sluice.models m on m.name = q.model join waiting w on w.model = q.model
  cross join sluice.settings s;
end
$$;

-- The numbers of results are counted as results are stored, because the table is large and
-- retention removes from it.

-- fleet_gauges: what the HTTP front exports to Prometheus for the whole installation. Reads four
-- sequences and the workers' rows.
-- Returns: one row. workers: live ones; the others: results with that status since the database
--          last crashed; notify_usage: how full the server's queue of notifications was, 0 to 1, at
--          the last look (an awake worker looks each second). All but workers are null on a
--          standby, which cannot read unlogged sequences.
create or replace function sluice.fleet_gauges()
returns table (workers bigint, solved bigint, failed bigint, cancelled bigint, expired bigint,
  notify_usage double precision)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_never_set bigint := case when not pg_is_in_recovery() then 0 end;
begin
  return query
  select (select count(*) from sluice.workers w where w.alive),
    coalesce(pg_sequence_last_value('sluice.results_solved'), v_never_set)
      + coalesce(pg_sequence_last_value('sluice.results_solved_by_16'), 0),
      coalesce(pg_sequence_last_value('sluice.results_failed'), v_never_set),
    coalesce(pg_sequence_last_value('sluice.results_cancelled'), v_never_set),
      coalesce(pg_sequence_last_value('sluice.results_expired'), v_never_set),
    coalesce(pg_sequence_last_value('sluice.notify_usage'), v_never_set)
      / 1000.0::double precision;
end
$$;

-- ramp_gauges: how many ramps that are kept have each state. ramps() would also sum up the calls of
-- those that are open.
create or replace function sluice.ramp_gauges() returns table (state text, ramps bigint)
language sql stable security definer
set search_path = sluice, pg_temp
as $$ select r.state, count(*) from sluice.ramp r group by r.state $$;
