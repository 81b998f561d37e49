-- recent_failures: how many calls failed lately, by model, kind and error code: what `sluice doctor` judges and `sluice top`
-- shows. Figures and codes only, no texts: whoever may see the queues may see it, whatever the tenant.
-- Looks at the newest 10,000 attempts at most, by their key: the answer stays quick when everything fails.
-- Params:  within: how far back; p_now.
-- Returns: one row for each model, kind (retry, failed, lost, returned) and error code, the most frequent first.
create or replace function sluice.recent_failures(within interval default '10 minutes', p_now timestamptz default null)
returns table (model text, kind text, error_code text, calls bigint, latest timestamptz)
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_since timestamptz := coalesce(p_now, clock_timestamp()) - recent_failures.within;
begin
  return query
  select n.model, n.kind, n.error_code, count(*), max(n.ended_at)
  from (select a.model, a.kind, a.error_code, a.ended_at from sluice.attempt a order by a.id desc limit 10000) n
  where n.ended_at > v_since and n.kind in ('retry', 'failed', 'lost', 'returned')
    and n.error_code is distinct from 'batch_failed'  -- the others of a batch, which is one call
  group by n.model, n.kind, n.error_code
  order by count(*) desc, max(n.ended_at) desc;
end
$$;
