-- claim_urgent: gives a worker whose slots are all taken tasks of a priority above 0, so that they need not wait for the
-- end of a call.
-- Stage:   33. Called by workers every 25 ms while they have no slot for others; committed synchronously.
-- Params:  worker: its id; models: names (null: all it serves); max_tasks: at most this many, at most 1,000; p_now.
-- Returns: as claim.
-- Locks, errors: as claim.
create or replace function sluice.claim_urgent(
  worker bigint, models text[] default null, max_tasks int default 1, p_now timestamptz default null)
returns setof sluice.claimed_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_leases sluice.lease[] := sluice.claim_shares(claim_urgent.worker, claim_urgent.models, null, claim_urgent.max_tasks, p_now,
    (-1)::smallint);
  v_ids bigint[] := sluice.least_and_greatest(v_leases);
begin
  return query select * from sluice.claimed_tasks(v_leases, 65536, v_ids[1], v_ids[2]);
end
$$;
