-- queue_gauges: what the HTTP front tells Prometheus of each model. breaker: 0 closed, 1 half open, 2 open; max_unfinished: the
-- model's, or the system's; oldest_ready_s: how long the oldest task that may be called has waited, in the model's line
-- or in that of one of its routes; blocked: why no call may begin, the most lasting first (paused, parked, closed,
-- breaker_open; null: one may); no_worker: no live worker serves the model.
-- Without JIT: while nobody has analyzed these small tables their estimates make it compile for 700 ms.
create or replace function sluice.queue_gauges()
returns table (model text, queued int, in_flight bigint, waiting bigint, max_unfinished bigint, oldest_ready_s double precision,
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
    select r.route, (select min(sluice.oldest_ready(l)) from unnest(sluice.lines_of_route(r.route)) l) as oldest
    from sluice.routes r where r.weight > 0 group by r.route),
  waiting as materialized (
    select m.name as model, min(route.oldest) as oldest
    from sluice.models m
    left join (sluice.routes r join route on route.route = r.route) on r.model = m.name and r.weight > 0
    group by m.name, m.id),
  live as materialized (
    select w from sluice.worker w join sluice.workers a on a.id = w.id where a.alive)
  select q.model, q.depth, q.in_flight, q.unfinished - q.depth - q.in_flight,
    coalesce(m.max_unfinished, s.max_unfinished)::bigint,
    greatest(0, q.oldest_ready_s, extract(epoch from clock_timestamp() - w.oldest))::double precision,
    case q.breaker when 'open' then 2 when 'half_open' then 1 else 0 end,
    case when q.state in ('paused', 'parked', 'closed', 'breaker open') then replace(q.state, ' ', '_') end,
    not exists (select from live l where sluice.serves(l.w, m))
  from sluice.queues q join sluice.models m on m.name = q.model join waiting w on w.model = q.model cross join sluice.settings s;
end
$$;
