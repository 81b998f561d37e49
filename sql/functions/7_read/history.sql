-- The history, for people, plots and bills: what became of tasks, by minute, hour and day
-- (8_control/history.sql writes it, up to a minute later).

-- history: the ends of each model's tasks of each tenant. model is null for tasks that ended
-- without one, such as a route's that were cancelled while they waited. Times are of tasks that a
-- worker has had, in seconds: wait from ready to the claim, call from there to the end, total from
-- the submit to the end. retries are calls that were made again, wasted_tokens and wasted_cost
-- those of calls that gave no end. Percentiles may be wrong by a fifth.
--
-- For percentiles see 7_read/histograms.sql. "is not null" would let an index give the rows by
-- model: those of other tenants before a caller's own one could then be counted for each model.
create or replace view sluice.history with (security_barrier) as
  select h.step, h.at, sluice.guarded(nullif(h.model, '')) as model,
    sluice.guarded(h.tenant) as tenant, sluice.guarded(h.solved) as solved,
    sluice.guarded(h.failed) as failed, sluice.guarded(h.cancelled) as cancelled,
    sluice.guarded(h.expired) as expired, sluice.guarded(h.retries) as retries,
    sluice.guarded(h.hedges) as hedges, sluice.guarded(h.input_tokens) as input_tokens,
    sluice.guarded(h.output_tokens) as output_tokens, sluice.guarded(trim_scale(h.cost)) as cost,
    sluice.guarded(h.wasted_tokens) as wasted_tokens,
    sluice.guarded(h.called) as called, sluice.guarded(h.wait_s) as wait_s,
    sluice.guarded(h.call_s) as call_s, sluice.guarded(h.total_s) as total_s,
    sluice.guarded(sluice.percentile(h.wait_counts, 0.5)) as wait_p50_s,
    sluice.guarded(sluice.percentile(h.wait_counts, 0.99)) as wait_p99_s,
    sluice.guarded(sluice.percentile(h.call_counts, 0.5)) as call_p50_s,
    sluice.guarded(sluice.percentile(h.call_counts, 0.99)) as call_p99_s,
    sluice.guarded(sluice.percentile(h.total_counts, 0.5)) as total_p50_s,
    sluice.guarded(sluice.percentile(h.total_counts, 0.99)) as total_p99_s,
    sluice.guarded(h.cached_tokens) as cached_tokens,
    sluice.guarded(h.cache_write_tokens) as cache_write_tokens,
    sluice.guarded(h.reasoning_tokens) as reasoning_tokens,
    sluice.guarded(trim_scale(h.wasted_cost)) as wasted_cost
  from sluice.history_row h cross join sluice.caller_scope() c
  where num_nulls(h.model, h.tenant) = 0 and (h.tenant = any (c.tenants)) = c.bound;

-- history_rows_max: how many rows history_of gives at most: more points than a plot has.
create or replace function sluice.history_rows_max() returns int
language sql immutable parallel safe
as $$ select 5000 $$;

-- stored_step: the step of the rows that answer for a step of history_of.
create or replace function sluice.stored_step(p_step text, p_since timestamptz) returns text
language sql immutable parallel safe
as $$
  select case when p_step <> 'all' then p_step
    when date_trunc('day', p_since, 'UTC') = p_since then 'day' else 'hour' end
$$;

-- history_rows: the rows that history_of adds up, of the caller's tenants alone. Inlined, in plans
-- that are made for one call: then its conditions are what an index checks, and no row of another
-- tenant is fetched, which each session could see.
-- Params:  as history_of; p_bound, p_tenants: caller_scope.
-- Returns: at, model, tenant: as history_of shows them.
create or replace function sluice.history_rows(
  p_step text, p_since timestamptz, p_until timestamptz, p_model text, p_tenant text, p_by text,
  p_bound boolean, p_tenants text[])
returns table (at timestamptz, model text, tenant text, h sluice.history_row)
language sql stable
as $$
  select case p_step when 'all' then p_since else h.at end,
    case when p_by like 'model%' then nullif(h.model, '') end,
    case when p_by like '%tenant' then h.tenant end, h
  from sluice.history_row h
  where h.step = sluice.stored_step(p_step, p_since) collate "default"
    and h.at >= p_since and h.at < p_until
    and case when p_model is not null then h.model = p_model collate "default"
      when p_by like 'model%' then h.model is not null else h.model is null end
    and case when p_tenant is not null then h.tenant = p_tenant collate "default"
        and (p_tenant collate "default" = any (p_tenants)) = p_bound
      when p_bound then h.tenant = any (p_tenants)
      when p_by like '%tenant' or p_tenants <> '{}'
        then h.tenant is not null and h.tenant <> all (p_tenants)
      else h.tenant is null end
$$;

-- history_of: what became of the caller's tenants' tasks, by time, also of tasks that are no longer
-- kept.
-- Params:  step: minute, hour, day, or all: one row for the whole time, whose hours count, or days
--          if it begins with one of UTC; since, until: of the beginnings of the steps (null: the
--          last hour, 2 days or 30 days; until now); model: only of this (null: all); tenant: only
--          of this (null: all); by: what has rows of its own: model, tenant, "model,tenant", none.
-- Returns: a row of each step in which something ended, the oldest first; model and tenant are null
--          where they have no rows of their own. The newest one still grows. A row for the whole
--          time has no percentiles.
-- Errors:  SL004 another step or by; more than 5,000 rows.
--
-- The bound is history_rows_max().
create or replace function sluice.history_of(
  step text default 'minute', since timestamptz default null, until timestamptz default null,
  model text default null, tenant text default null, by text default 'none',
  p_now timestamptz default null)
returns setof sluice.history
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_variable
declare
  v_until timestamptz := coalesce(until, p_now, clock_timestamp());
  v_since timestamptz := coalesce(since, v_until - case step when 'minute' then interval '1 hour'
    when 'hour' then interval '2 days' else interval '30 days' end);
  v_scope record := sluice.caller_scope();
  v_count bigint;
begin
  perform sluice.require_collation(step);
  if coalesce(step, '') not in ('minute', 'hour', 'day', 'all') then
    raise exception 'there is no step "%"', coalesce(left(step, 200), 'null')
      using errcode = 'SL004', column = 'step', hint = 'It is minute, hour, day or all.';
  elsif coalesce(by, '') not in ('model', 'tenant', 'model,tenant', 'none') then
    raise exception 'there are no rows by "%"', coalesce(left(by, 200), 'null')
      using errcode = 'SL004', column = 'by',
      hint = 'It is model, tenant, "model,tenant" or none; by key: sluice.history_of_keys().';
  end if;
  v_count := (select count(*) from (
    select from sluice.history_rows(step, v_since, v_until, model, tenant, by, v_scope.bound,
      v_scope.tenants) r
    group by r.at, r.model, r.tenant limit sluice.history_rows_max() + 1) g);
  if v_count > sluice.history_rows_max() then
    raise exception 'that is more than % rows', sluice.history_rows_max()
      using errcode = 'SL004', column = case step when 'all' then 'by' else 'step' end,
      hint = case step when 'minute' then 'Take step=hour, or a shorter time.'
        when 'hour' then 'Take step=day, or a shorter time.' when 'day' then 'Take step=all, or a '
          'shorter time.' else 'Name a model or a tenant.' end;
  end if;
  return query
  select step, r.at, r.model, r.tenant, sum((r.h).solved)::bigint, sum((r.h).failed)::bigint,
    sum((r.h).cancelled)::bigint, sum((r.h).expired)::bigint, sum((r.h).retries)::bigint,
    sum((r.h).hedges)::bigint, sum((r.h).input_tokens)::bigint, sum((r.h).output_tokens)::bigint,
    trim_scale(sum((r.h).cost)), sum((r.h).wasted_tokens)::bigint, sum((r.h).called)::bigint,
    sum((r.h).wait_s), sum((r.h).call_s), sum((r.h).total_s),
    -- of a month of a thousand tenants they would take a second
    case when step <> 'all' then sluice.percentile(sluice.sum_counts((r.h).wait_counts), 0.5) end,
    case when step <> 'all' then sluice.percentile(sluice.sum_counts((r.h).wait_counts), 0.99) end,
    case when step <> 'all' then sluice.percentile(sluice.sum_counts((r.h).call_counts), 0.5) end,
    case when step <> 'all' then sluice.percentile(sluice.sum_counts((r.h).call_counts), 0.99) end,
    case when step <> 'all' then sluice.percentile(sluice.sum_counts((r.h).total_counts), 0.5) end,
    case when step <> 'all' then sluice.percentile(sluice.sum_counts((r.h).total_counts), 0.99) end,
    sum((r.h).cached_tokens)::bigint, sum((r.h).cache_write_tokens)::bigint,
    sum((r.h).reasoning_tokens)::bigint, trim_scale(sum((r.h).wasted_cost))
  from sluice.history_rows(step, v_since, v_until, model, tenant, by, v_scope.bound,
    v_scope.tenants) r
  group by r.at, r.model, r.tenant order by r.at, r.model, r.tenant;
end
$$;

-- sparks: how many tasks of each model were solved in each of the last 60 minutes that have been
-- counted, of the caller's tenants; only models that had an end in these.
-- Returns: solved: 60 of them, the oldest first.
create or replace function sluice.sparks(p_now timestamptz default null)
returns table (model text, solved int[])
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_scope record := sluice.caller_scope();
  v_until timestamptz;
  v_since timestamptz;
begin
  -- While somebody looks the newest minutes are not counted; while nobody does, nothing ends.
  select date_trunc('minute', case when v_now - l.at < interval '3 minutes' then least(l.at, v_now)
    else v_now end) into v_until from sluice.history_look l;
  v_since := v_until - interval '60 minutes';
  return query
  select m.model, array(select coalesce(m.counts[i], 0) from generate_series(0, 59) i)
  from (
    select s.model, sluice.histogram(array_agg(s.minute), array_agg(s.solved)) as counts
    from (
      select r.model, sum((r.h).solved)::bigint as solved,
        (extract(epoch from r.at - v_since) / 60)::int as minute
      from sluice.history_rows('minute', v_since, v_until, null, null, 'model', v_scope.bound,
        v_scope.tenants) r
      where r.model is not null group by r.model, r.at) s
    group by s.model) m;
end
$$;
