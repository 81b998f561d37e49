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

-- history_source: the query for the rows that answer history_of, of the caller's tenants alone.
-- Params:  p_by_model, p_by_tenant: whether each has its own; p_model, p_tenant: only this (null:
--          any).
create or replace function sluice.history_source(
  p_by_model boolean, p_by_tenant boolean, p_model text, p_tenant text) returns text
language plpgsql stable
as $$
declare
  v_scope record := sluice.caller_scope();
begin
  return format('select %s as shown_model, %s as shown_tenant, h from sluice.history_row h
      where h.step = $1 and h.at >= $2 and h.at < $3 and h.model %s and %s',
    case when p_by_model then 'nullif(h.model, '''')' else 'null' end,
    case when p_by_tenant then 'h.tenant' else 'null' end,
    case when p_model is not null then '= ' || quote_literal(p_model)
      when p_by_model then 'is not null' else 'is null' end,
    case when p_tenant is null and not p_by_tenant and not v_scope.bound and v_scope.tenants = '{}'
      then 'h.tenant is null'
      else 'h.tenant is not null and ' || sluice.scope_text('h.tenant', p_tenant) end);
end
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
as $$
#variable_conflict use_variable
declare
  v_until timestamptz := coalesce(until, p_now, clock_timestamp());
  v_since timestamptz := coalesce(since, v_until - case step when 'minute' then interval '1 hour'
    when 'hour' then interval '2 days' else interval '30 days' end);
  v_source text;
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
  v_source := sluice.history_source(by like 'model%', by like '%tenant', model, tenant);
  execute format('select count(*) from (select from (%s) s group by %s shown_model, shown_tenant
    limit %s) g', v_source, case when step <> 'all' then '(h).at,' end,
    sluice.history_rows_max() + 1)
  into v_count using sluice.stored_step(step, v_since), v_since, v_until;
  if v_count > sluice.history_rows_max() then
    raise exception 'that is more than % rows', sluice.history_rows_max()
      using errcode = 'SL004', column = case step when 'all' then 'by' else 'step' end,
      hint = case step when 'minute' then 'Take step=hour, or a shorter time.'
        when 'hour' then 'Take step=day, or a shorter time.' when 'day' then 'Take step=all, or a '
          'shorter time.' else 'Name a model or a tenant.' end;
  end if;
  return query execute sluice.history_query(v_source, step)
    using sluice.stored_step(step, v_since), v_since, v_until;
end
$$;

-- stored_step: the step of the rows that answer for a step of history_of.
create or replace function sluice.stored_step(p_step text, p_since timestamptz) returns text
language sql immutable parallel safe
as $$
  select case when p_step <> 'all' then p_step
    when date_trunc('day', p_since, 'UTC') = p_since then 'day' else 'hour' end
$$;

-- history_query: the rows of a source (history_source) as history_of gives them, for p_step all one
-- for the whole time, $2 to $3. Percentiles of a month of a thousand tenants would take a second.
create or replace function sluice.history_query(p_source text, p_step text) returns text
language sql immutable
as $$
  select format('
    select %L, %s, s.shown_model, s.shown_tenant, sum((s.h).solved)::bigint,
      sum((s.h).failed)::bigint, sum((s.h).cancelled)::bigint, sum((s.h).expired)::bigint,
      sum((s.h).retries)::bigint, sum((s.h).hedges)::bigint, sum((s.h).input_tokens)::bigint,
      sum((s.h).output_tokens)::bigint, trim_scale(sum((s.h).cost)),
      sum((s.h).wasted_tokens)::bigint, sum((s.h).called)::bigint, sum((s.h).wait_s),
      sum((s.h).call_s), sum((s.h).total_s), %s, sum((s.h).cached_tokens)::bigint,
      sum((s.h).cache_write_tokens)::bigint, sum((s.h).reasoning_tokens)::bigint,
      trim_scale(sum((s.h).wasted_cost))
    from (%s) s group by 2, 3, 4 order by 2, 3, 4', p_step,
    case p_step when 'all' then '$2' else '(s.h).at' end,
    (select string_agg(case p_step when 'all' then 'null::float8'
      else format('sluice.percentile(sluice.sum_counts((s.h).%s_counts), %s)', k.kind, p.part) end,
      ', ' order by k.n, p.part)
      from unnest(array['wait', 'call', 'total']) with ordinality k(kind, n)
      cross join unnest(array[0.5, 0.99]) p(part)), p_source)
$$;

-- sparks: how many tasks of each model were solved in each of the last 60 minutes that have been
-- counted, of the caller's tenants; only models that had an end in these.
-- Returns: solved: 60 of them, the oldest first.
create or replace function sluice.sparks(p_now timestamptz default null)
returns table (model text, solved int[])
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_until timestamptz;
begin
  -- While somebody looks the newest minutes are not counted; while nobody does, nothing ends.
  select date_trunc('minute', case when v_now - l.at < interval '3 minutes' then least(l.at, v_now)
    else v_now end) into v_until from sluice.history_look l;
  return query execute format('
    select m.model, array(select coalesce(m.counts[i], 0) from generate_series(0, 59) i) from (
      select r.model, sluice.histogram(array_agg(r.minute), array_agg(r.solved)) as counts from (
        select s.shown_model as model, sum((s.h).solved)::bigint as solved,
          (extract(epoch from (s.h).at - $2) / 60)::int as minute from (%s) s
        where s.shown_model is not null group by s.shown_model, (s.h).at) r
      group by r.model) m',
    sluice.history_source(true, false, null, null))
  using 'minute', v_until - interval '60 minutes', v_until;
end
$$;
