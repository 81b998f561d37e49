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
  v_left int := least(claim_urgent.max_tasks, 1000);
  v_model int;
  v_all sluice.lease[] := '{}';
  v_ids bigint[];
begin
  foreach v_model in array sluice.open_models(claim_urgent.worker, claim_urgent.models, p_now) loop
    exit when v_left <= 0;
    v_all := v_all || sluice.claim_from(v_model, claim_urgent.worker, v_left, p_now, (-1)::smallint);
    v_left := claim_urgent.max_tasks - cardinality(v_all);
  end loop;
  v_ids := sluice.least_and_greatest(v_all);
  return query select * from sluice.claimed_tasks(v_all, 65536, v_ids[1], v_ids[2]);
end
$$;
