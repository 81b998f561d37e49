-- requests: the bodies of a worker's claimed tasks.
-- Stage:   35, between claim and call, for what did not fit into the claim; and the re-read after an unknown COMMIT.
-- Params:  worker; ids: task ids (null: all leases of this worker).
-- Returns: as claim; bodies in order of id until claim_bytes_max is reached (always at least one): ask again for the
--          rest. Only tasks that this worker holds now.
create or replace function sluice.requests(worker bigint, ids bigint[] default null) returns setof sluice.claimed_task
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[];
  v_bytes_max bigint;
  v_ids bigint[];
begin
  if requests.ids is null then
    select array_agg(l order by l.task_id) into v_leases from sluice.lease l where l.worker = requests.worker;
  else
    -- One by one by their key: by the index on worker each call walked all that the worker holds, 40 us a task.
    -- As l of its type: a row of a subquery would be turned into text and back.
    select array_agg(held.l order by (held.l).task_id) into v_leases
    from unnest(requests.ids) asked(id)
    cross join lateral (
      select l from sluice.lease l where l.task_id = asked.id and l.worker + 0 = requests.worker offset 0) held;
  end if;
  v_bytes_max := greatest((select claim_bytes_max from sluice.settings), v_leases[1].request_bytes + 200);
  v_ids := sluice.least_and_greatest(v_leases);
  return query select * from sluice.claimed_tasks(v_leases, v_bytes_max, v_ids[1], v_ids[2]);
end
$$;

-- held_leases: what a worker holds, as keys without bodies: for the comparison after a reconnect.
create or replace function sluice.held_leases(worker bigint) returns table (task_id bigint, fence int)
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query select l.task_id, l.fence from sluice.lease l where l.worker = held_leases.worker;
end
$$;
