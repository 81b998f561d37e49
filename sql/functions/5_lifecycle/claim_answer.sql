-- What a claim answers: leases with their bodies, and the bodies that did not fit.

-- leased_tasks: leases as workers receive them, with their bodies. priority is the task's
-- own, without ageing: a long wait does not make a task urgent. queued_ms, for a task with a
-- traceparent, is the time from when it could first have been taken (its submit, run_at, or the
-- time of its retry) to this claim. Of a call that budgets count max_output_tokens is no more than
-- was held for it, whatever the model says since.
-- Params:  p_bounds: answer_bounds.
-- twin: leased_tasks (change all alike)
-- It is stable and called in FROM, so that it is inlined into its caller's statement. The limit
-- pins the look-up by key, whatever the planner knows of the tasks (for a table that was never
-- analyzed it read, for each lease, all tasks between the smallest and the greatest id). The
-- comparison is one of rows, because with t.id = l.task_id PostgreSQL chooses among the partitions
-- anew for each lease: 4,000 of 15,000 instructions.
create or replace function sluice.leased_tasks(p_leases sluice.lease[], p_bounds bigint[])
returns setof sluice.leased_task
language sql stable
as $$
  select l.task_id, l.fence, l.attempts + 1, m.name,
    case when m.rpm is not null or l.reserved_tokens > 0
           or exists (select from sluice.tenants n where n.rpm is not null)
             and exists (select from sluice.tenants n where n.name = l.tenant and n.rpm is not null)
      then sluice.send_within_ms() end,
    case when t.id is not null then m.api end, t.prompt, t.request,
      case when t.id is not null then coalesce(t.max_output_tokens, case when m.is_budgeted
        then least(m.max_output_tokens, (select min(c.max_output_tokens) from sluice.budget_call c
          where c.task_id = l.task_id and c.fence = l.fence))
        else m.max_output_tokens end) end,
      t.traceparent,
    case when t.id is not null then (date_part('epoch', m.timeout) * 1000)::int end,
    coalesce(t.priority, -l.rank)::int,
    case when t.traceparent is not null
      then (date_part('epoch', l.started_at - l.ready_at) * 1000)::bigint end,
    l.request_bytes, t.schema_version
  from unnest(p_leases) with ordinality l
  join sluice.models m on m.id = l.model
  left join lateral (
    select t.id, t.prompt, t.request, t.max_output_tokens, t.traceparent, t.priority,
      t.schema_version
    from sluice.task t
    where (t.id, 0) >= (l.task_id, 0) and (t.id, 0) <= (l.task_id, 0)
      and t.id between p_bounds[1] and p_bounds[2] limit 1) t on true
  order by l.ordinality
$$;

-- leased_without_bodies: leased_tasks for leases whose bodies did not fit into the answer. A
-- look-up that is made ready in vain costs as much as the rest of a row.
-- twin: leased_tasks
create or replace function sluice.leased_without_bodies(p_leases sluice.lease[])
returns setof sluice.leased_task
language sql stable
as $$
  select l.task_id, l.fence, l.attempts + 1, m.name,
    case when m.rpm is not null or l.reserved_tokens > 0
           or exists (select from sluice.tenants n where n.rpm is not null)
             and exists (select from sluice.tenants n where n.name = l.tenant and n.rpm is not null)
      then sluice.send_within_ms() end,
    null, null, null, null::int, null, null::int, -l.rank::int, null::bigint,
    l.request_bytes, null::text
  from unnest(p_leases) with ordinality l
  join sluice.models m on m.id = l.model
  order by l.ordinality
$$;

-- answer_bounds: the bounds of the answer to a claim: the smallest and the greatest id (partitions
-- outside are excluded once, at the start, instead of by each look-up: with 14 of them 2 us of 7),
-- and how many leases, in order, get their bodies: until the answer has p_bytes_max (D-407).
create or replace function sluice.answer_bounds(
  p_leases sluice.lease[], p_bytes_max bigint default 65536)
returns bigint[]
language plpgsql immutable
as $$
declare
  v_least bigint;
  v_greatest bigint;
  v_fit int := 0;
  v_bytes bigint := 0;
begin
  if cardinality(p_leases) = 1 then  -- a tenth of what the loop costs
    return array[p_leases[1].task_id, p_leases[1].task_id,
      (p_leases[1].request_bytes + 200 <= p_bytes_max)::int];
  end if;
  for i in 1 .. coalesce(cardinality(p_leases), 0) loop
    v_bytes := v_bytes + p_leases[i].request_bytes + 200;
    exit when v_bytes > p_bytes_max;
    v_least := least(v_least, p_leases[i].task_id);
    v_greatest := greatest(v_greatest, p_leases[i].task_id);
    v_fit := i;
  end loop;
  return array[v_least, v_greatest, v_fit];
end
$$;

-- requests: the bodies of a worker's claimed tasks: those that did not fit into the claim, or all
-- after a COMMIT whose answer was lost.
-- Params:  worker: its id; ids: task ids (null: all leases of this worker).
-- Returns: as claim; bodies in order of id until settings.claim_bytes_max is reached (always at
--          least one): call again for the rest. Only tasks that this worker holds now.
--
-- (After a COMMIT whose answer was lost our workers call held_leases.)
--
-- Both tables are scanned once for an array of ids, in ascending order, and a lease's columns are
-- found by its place: half of what a look-up of each costs (D-407).
-- twin: leased_tasks
create or replace function sluice.requests(worker bigint, ids bigint[] default null)
returns setof sluice.leased_task
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_ids bigint[] := coalesce(requests.ids,
    array(select l.task_id from sluice.lease l where l.worker = requests.worker));
  v_fences int[];  -- beside the ids, as the other columns of the leases
  v_attempts smallint[];
  v_models int[];
  v_reserved bigint[];
  v_bytes int[];
  v_sum bigint;
  v_sum_max bigint := (select s.claim_bytes_max from sluice.settings s);
  v_fit int;       -- so many bodies fit into the answer
begin
  -- One by one by their key: by the index on worker each call walked all that the worker holds, 40
  -- us a task.
  select array_agg(l.task_id), array_agg(l.fence), array_agg(l.attempts), array_agg(l.model),
    array_agg(l.reserved_tokens), array_agg(l.request_bytes), sum(l.request_bytes + 200), count(*)
  into v_ids, v_fences, v_attempts, v_models, v_reserved, v_bytes, v_sum, v_fit
  from (select * from sluice.lease l
    where l.task_id = any (v_ids) and l.worker + 0 = requests.worker
    order by l.task_id offset 0) l;
  while v_sum > v_sum_max and v_fit > 1 loop
    v_sum := v_sum - v_bytes[v_fit] - 200;
    v_fit := v_fit - 1;
  end loop;
  return query
    select t.id, v_fences[l.n], v_attempts[l.n] + 1, m.name,
      case when m.rpm is not null or v_reserved[l.n] > 0
             or exists (select from sluice.tenants n where n.rpm is not null) and exists (
               select from sluice.tenants n where n.name = t.tenant and n.rpm is not null)
        then sluice.send_within_ms() end,
      m.api, t.prompt, t.request,
      coalesce(t.max_output_tokens, case when m.is_budgeted
        then least(m.max_output_tokens, (select min(c.max_output_tokens) from sluice.budget_call c
          where c.task_id = t.id and c.fence = v_fences[l.n]))
        else m.max_output_tokens end),
      t.traceparent, (date_part('epoch', m.timeout) * 1000)::int, t.priority::int,
      case when t.traceparent is not null then (
        select (date_part('epoch', l.started_at - l.ready_at) * 1000)::bigint
        from sluice.lease l where l.task_id = t.id) end,
      v_bytes[l.n], t.schema_version
    from sluice.task t
    -- (select v_ids): else each call would copy the array
    cross join lateral (select width_bucket(t.id, (select v_ids)) as n offset 0) l
    join sluice.models m on m.id = v_models[l.n]
    where t.id = any (v_ids[:v_fit]) and t.id between v_ids[1] and v_ids[v_fit]
    order by t.id;
  if v_fit < cardinality(v_ids) then
    return query select * from sluice.leased_without_bodies(array(
      select l from sluice.lease l where l.task_id = any (v_ids[v_fit + 1:])
        and l.worker + 0 = requests.worker order by l.task_id));
  end if;
end
$$;
