-- What the view queues shows of models.

-- oldest_ready: ready_at of the task that has waited longest in a line, in its first 1,000 lanes;
-- null: none waits.
create or replace function sluice.oldest_ready(p_line int) returns timestamptz
language plpgsql volatile
as $$
begin
  return (select min(h.ready_at) from unnest(sluice.lane_heads(p_line, 1000)) h);
end
$$;

-- queue_facts_of: what sluice.queues shows of one model, with a pinned plan. Called by that view,
-- as its reader, for the rows that he asks for alone: of 418 models one took 0.15 s, as all did.
-- Returns: depth: ready tasks that named it; waiting: tasks that wait for their time, or for
--          a budget, and named it.
create or replace function sluice.queue_facts_of(
  p_model sluice.models, p_now timestamptz default null,
  out depth int, out in_flight bigint, out waiting bigint, out oldest_ready timestamptz,
  out permits_now int, out next_permit_at timestamptz)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  select sum(sluice.depth(o))::int, min(sluice.oldest_ready(o)) into depth, oldest_ready
  from unnest(sluice.lines_of_model(p_model.id)) o;
  in_flight := sluice.in_flight(p_model.id);
  waiting := (select count(*) from sluice.later l where l.model = p_model.id);
  permits_now := sluice.permits_now(p_model, v_now);
  next_permit_at := sluice.permit_at(p_model, v_now);
end
$$;

-- routed_shares: routed_tasks of all models. Called by the view queues, as its reader.
create or replace function sluice.routed_shares()
returns table (model int, tasks bigint)
language sql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$ select r.* from sluice.routed_tasks(array(select id from sluice.models)) r $$;

-- queue_facts: queue_facts_of of all models, waiting with routed_shares. For views of the release
-- before.
create or replace function sluice.queue_facts(p_now timestamptz default null)
returns table (model int, depth int, in_flight bigint, waiting bigint, oldest_ready timestamptz,
  permits_now int,
               next_permit_at timestamptz)
language sql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
  select m.id, f.depth, f.in_flight, f.waiting + r.tasks, f.oldest_ready, f.permits_now,
    f.next_permit_at
  from sluice.models m join sluice.routed_shares() r on r.model = m.id
  cross join lateral sluice.queue_facts_of(m, p_now) f
$$;
