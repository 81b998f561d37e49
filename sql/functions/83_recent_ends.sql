-- recent_ends: how the tasks went that ended lately: what `sluice status` and `sluice top` show of latencies, tokens and failures.
-- Looks at the newest 5,000 results at most, by their key, and at no text: some 30 ms, however many there are.
-- Params:  within: how far back; p_now.
-- Returns: a row for each model (by its name at that time), for each tenant that the caller may act for, and one of scope all.
--          p50_s, p99_s: from the claim to the stored result, of those that were solved; tokens_per_min: in and out, over the
--          time that the results looked at span.
create or replace function sluice.recent_ends(within interval default '10 minutes', p_now timestamptz default null)
returns table (scope text, name text, solved bigint, failed bigint, tokens_per_min double precision, p50_s double precision,
               p99_s double precision)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c_looked_at_max constant int := 5000;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return query
  with newest as materialized (
    select r.task_id, r.model, r.status, r.finished_at, coalesce(r.input_tokens, 0)::bigint + coalesce(r.output_tokens, 0) as tokens,
      case when r.status = 'solved' then extract(epoch from r.finished_at - r.started_at)::double precision end as took_s
    from sluice.result r order by r.task_id desc limit c_looked_at_max),
  span as (  -- of all that ended within, unless the bound cut some off
    select case when count(*) < c_looked_at_max then extract(epoch from recent_ends.within)
      else greatest(1, least(extract(epoch from recent_ends.within), extract(epoch from v_now - min(n.finished_at)))) end / 60 as min
    from newest n),
  ended as (
    select n.*, t.tenant from newest n join sluice.task t on t.id = n.task_id
    where n.finished_at > v_now - recent_ends.within),
  told as (
    select case when grouping(e.model) = 0 then 'model' when grouping(e.tenant) = 0 then 'tenant' else 'all' end as scope,
      coalesce(e.model, e.tenant) as name, count(*) filter (where e.status = 'solved') as solved,
      count(*) filter (where e.status = 'failed') as failed, sum(e.tokens) as tokens,
      percentile_cont(array[0.5, 0.99]) within group (order by e.took_s) as took_s
    from ended e group by grouping sets ((e.model), (e.tenant), ()))
  select t.scope, t.name, t.solved, t.failed, (coalesce(t.tokens, 0) / s.min)::double precision, t.took_s[1], t.took_s[2]
  from told t cross join span s cross join sluice.caller_scope() c
  where t.scope = 'all' or t.name is not null and (t.scope = 'model' or (t.name = any (c.tenants)) = c.bound)
  order by t.scope, t.name;
end
$$;
