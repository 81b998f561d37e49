-- queue_gauges: what the HTTP front tells Prometheus of each model. breaker: 0 closed, 1 half open, 2 open; max_unfinished: the
-- model's, or the system's.
-- Without JIT: while nobody has analyzed these small tables their estimates make it compile for 700 ms.
create or replace function sluice.queue_gauges()
returns table (model text, queued int, in_flight bigint, waiting bigint, max_unfinished bigint, oldest_ready_s double precision,
               breaker int)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select q.model, q.depth, q.in_flight, q.unfinished - q.depth - q.in_flight,
    coalesce(m.max_unfinished, (select s.max_unfinished from sluice.settings s))::bigint, coalesce(q.oldest_ready_s, 0),
    case q.breaker when 'open' then 2 when 'half_open' then 1 else 0 end
  from sluice.queues q join sluice.models m on m.name = q.model;
end
$$;
