-- The history by key of the HTTP front, for bills: what became of the tasks that each key has
-- submitted, by hour and day, also when it was revoked since.

-- shown_key_name: the name of a key for the present caller: administrators see all, others those of
-- the tenant p_tenant, if they may act for it. Null: none that he may see.
create or replace function sluice.shown_key_name(p_key text, p_tenant text) returns text
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return (select k.name from sluice.api_key k
    where k.id = p_key and (k.tenant = p_tenant collate "default"
        and sluice.may_act_for(p_tenant)
      or sluice.acts_as_administrator()));
end
$$;

-- key_history: as sluice.history, of tasks that came with a key of the HTTP API, without times.
-- Tasks from SQL are in sluice.history alone.
create or replace view sluice.key_history with (security_barrier) as
  select h.step, h.at, sluice.guarded(h.api_key) as key,
    sluice.guarded(sluice.shown_key_name(h.api_key, h.tenant)) as key_name,
    sluice.guarded(nullif(h.model, '')) as model, sluice.guarded(h.tenant) as tenant,
    sluice.guarded(h.solved) as solved, sluice.guarded(h.failed) as failed,
    sluice.guarded(h.cancelled) as cancelled, sluice.guarded(h.expired) as expired,
    sluice.guarded(h.retries) as retries, sluice.guarded(h.hedges) as hedges,
    sluice.guarded(h.input_tokens) as input_tokens,
    sluice.guarded(h.output_tokens) as output_tokens, sluice.guarded(trim_scale(h.cost)) as cost,
    sluice.guarded(h.wasted_tokens) as wasted_tokens
  from sluice.key_history_row h cross join sluice.caller_scope() c
  where (h.tenant = any (c.tenants)) = c.bound;

-- history_of_keys: what became of the caller's tenants' tasks, by the key of the HTTP API that
-- submitted them.
-- Params:  step: hour, day or all; since, until, model, tenant: as history_of.
-- Returns: a row of each step and key, the oldest first. The row without a key is the rest of
--          history_of: tasks from SQL, and those of before keys were kept.
-- Errors:  SL004 another step; more than 5,000 rows.
--
-- The bound is history_rows_max().
create or replace function sluice.history_of_keys(
  step text default 'day', since timestamptz default null, until timestamptz default null,
  model text default null, tenant text default null, p_now timestamptz default null)
returns table (at timestamptz, key text, key_name text, solved bigint, failed bigint,
  cancelled bigint, expired bigint, retries bigint, hedges bigint, input_tokens bigint,
  output_tokens bigint, cost numeric, wasted_tokens bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_until timestamptz := coalesce(history_of_keys.until, p_now, clock_timestamp());
  v_since timestamptz := coalesce(history_of_keys.since, v_until
    - case history_of_keys.step when 'hour' then interval '2 days' else interval '30 days' end);
  v_scope record := sluice.caller_scope();
  v_rows int;
begin
  perform sluice.require_collation(history_of_keys.step);
  if coalesce(history_of_keys.step, '') not in ('hour', 'day', 'all') then
    raise exception 'by key there is no step "%"', coalesce(left(history_of_keys.step, 200), 'null')
      using errcode = 'SL004', column = 'step', hint = 'By key there are hour, day, all.';
  end if;
  return query
  with keyed as materialized (  -- conditions as those of history_rows
    select h.* from sluice.key_history_row h
    where h.step = sluice.stored_step(history_of_keys.step, v_since) collate "default"
      and h.at >= v_since and h.at < v_until
      and (history_of_keys.model is null or h.model = history_of_keys.model collate "default")
      and case when history_of_keys.tenant is not null
          then h.tenant = history_of_keys.tenant collate "default"
            and (history_of_keys.tenant collate "default" = any (v_scope.tenants)) = v_scope.bound
        when v_scope.bound then h.tenant = any (v_scope.tenants)
        else h.tenant <> all (v_scope.tenants) end),
  part as (  -- what a key has is taken from what all have, so that the rest is left
    select r.at, null as key, 1 as sign, (r.h).solved, (r.h).failed, (r.h).cancelled, (r.h).expired,
      (r.h).retries, (r.h).hedges, (r.h).input_tokens, (r.h).output_tokens, (r.h).cost,
      (r.h).wasted_tokens
    from sluice.history_rows(history_of_keys.step, v_since, v_until, history_of_keys.model,
      history_of_keys.tenant, 'none', v_scope.bound, v_scope.tenants) r
    union all
    select case history_of_keys.step when 'all' then v_since else k.at end, o.key, o.sign, k.solved,
      k.failed, k.cancelled, k.expired, k.retries, k.hedges, k.input_tokens, k.output_tokens,
      k.cost, k.wasted_tokens
    from keyed k cross join lateral (values (null, -1), (k.api_key, 1)) o(key, sign))
  select p.at, p.key, sluice.shown_key_name(p.key, history_of_keys.tenant),
    sum(p.sign * p.solved)::bigint, sum(p.sign * p.failed)::bigint,
    sum(p.sign * p.cancelled)::bigint, sum(p.sign * p.expired)::bigint,
    sum(p.sign * p.retries)::bigint, sum(p.sign * p.hedges)::bigint,
    sum(p.sign * p.input_tokens)::bigint, sum(p.sign * p.output_tokens)::bigint,
    trim_scale(sum(p.sign * p.cost)), sum(p.sign * p.wasted_tokens)::bigint
  from part p group by p.at, p.key
  having p.key is not null or sum(p.sign * (p.solved + p.failed + p.cancelled + p.expired
    + p.retries + p.hedges + p.wasted_tokens)) <> 0
  order by p.at, p.key limit sluice.history_rows_max() + 1;
  get diagnostics v_rows = row_count;
  if v_rows > sluice.history_rows_max() then
    raise exception 'that is more than % rows', sluice.history_rows_max() using errcode = 'SL004',
      column = case history_of_keys.step when 'all' then 'by' else 'step' end,
      hint = case history_of_keys.step when 'all' then 'Name a model or a tenant.'
        when 'day' then 'Take step=all, or a shorter time.'
        else 'Take step=day, or a shorter time.' end;
  end if;
end
$$;
