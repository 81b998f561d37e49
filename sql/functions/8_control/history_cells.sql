-- From ends to rows of the history.

-- cells_of: the ends and calls that a look counts, in cells: those of the same minute, model,
-- tenant and key whose times fall into the same bins. Stable, so that all is read in one snapshot:
-- a redrive that commits meanwhile would have its end found twice, as a result and as an attempt.
-- Params:  p_look; p_upto: ends of tasks before this id.
create or replace function sluice.cells_of(p_look sluice.history_look, p_upto bigint)
returns table (at timestamptz, model text, tenant text, api_key text, wait_bin int, call_bin int,
  total_bin int, solved bigint, failed bigint, cancelled bigint, expired bigint, called bigint,
  wait_s double precision, call_s double precision, total_s double precision, input_tokens bigint,
  output_tokens bigint, cost numeric, retries bigint, hedges bigint, wasted_tokens bigint,
  cached_tokens bigint, cache_write_tokens bigint, reasoning_tokens bigint, wasted_cost numeric)
language plpgsql stable
set enable_memoize = off
as $$
begin
  return query
  with named as not materialized (
    select e.*, t.tenant, t.api_key from sluice.uncounted_ends(p_look) e cross join lateral (
      select t.tenant, t.api_key from sluice.task t where t.id = e.task_id limit 1) t
    where e.task_id + 0 < p_upto)   -- never by the key
  select date_bin('1 minute', e.finished_at, timestamptz 'epoch'), coalesce(e.model, ''), e.tenant,
    e.api_key, sluice.bin_of(s.wait_s), sluice.bin_of(s.call_s), sluice.bin_of(s.total_s),
    count(*) filter (where e.status = 'solved'), count(*) filter (where e.status = 'failed'),
    count(*) filter (where e.status = 'cancelled'), count(*) filter (where e.status = 'expired'),
    count(s.call_s), coalesce(sum(s.wait_s), 0), coalesce(sum(s.call_s), 0),
    coalesce(sum(s.total_s), 0), coalesce(sum(e.input_tokens), 0),
    coalesce(sum(e.output_tokens), 0), coalesce(sum(e.cost), 0), 0::bigint, 0::bigint, 0::bigint,
    coalesce(sum(e.cached_tokens), 0), coalesce(sum(e.cache_write_tokens), 0),
    coalesce(sum(e.reasoning_tokens), 0), 0::numeric
  from named e cross join lateral (
    select date_part('epoch', e.started_at - e.queued_at) as wait_s,
      date_part('epoch', e.finished_at - e.started_at) as call_s,
      case when e.started_at is not null
        then date_part('epoch', e.finished_at - e.created_at) end as total_s offset 0) s
  group by 1, 2, 3, 4, 5, 6, 7;
  return query  -- calls that ended no task: all with the first part of a round
  select date_bin('1 minute', a.at, timestamptz 'epoch'), coalesce(a.model, ''), t.tenant,
    t.api_key, null::int, null::int, null::int, 0::bigint, 0::bigint, 0::bigint, 0::bigint,
    0::bigint, 0::float8, 0::float8, 0::float8, 0::bigint, 0::bigint, 0::numeric,
    count(*) filter (where a.kind in ('retry', 'lost', 'returned')
      or a.kind = 'rerouted' and a.started_at is not null),
    count(*) filter (where a.kind = 'hedged'),
    coalesce(sum(coalesce(a.input_tokens, 0)::bigint + coalesce(a.output_tokens, 0))
      filter (where a.kind <> 'failed'), 0)::bigint,
    0::bigint, 0::bigint, 0::bigint, coalesce(sum(a.cost) filter (where a.kind <> 'failed'), 0)
  from sluice.uncounted_calls(p_look) a cross join lateral (
    select t.tenant, t.api_key from sluice.task t where t.id = a.task_id limit 1) t
  where p_look.next_id = 0 group by 1, 2, 3, 4;
end
$$;

-- add_cells: adds what a look counts to the rows of its minutes, hours and days: of each model and
-- tenant, each model, each tenant, and all; and to those of the keys that there are.
-- Params:  as cells_of.
-- Returns: how many ends that were.
create or replace function sluice.add_cells(p_look sluice.history_look, p_upto bigint)
returns bigint
language plpgsql volatile
set enable_sort = off   -- by hashes: a third of the time
as $$
declare
  v_ends bigint;
begin
  with cells as materialized (
    select * from sluice.cells_of(p_look, p_upto)),
  minutes as materialized (   -- first: there are far fewer of them than of cells
    select c.at, c.model, c.tenant, sum(c.solved) as solved, sum(c.failed) as failed,
      sum(c.cancelled) as cancelled, sum(c.expired) as expired, sum(c.called) as called,
      sum(c.wait_s) as wait_s, sum(c.call_s) as call_s, sum(c.total_s) as total_s,
      sum(c.input_tokens) as input_tokens, sum(c.output_tokens) as output_tokens,
      sum(c.cost) as cost, sum(c.retries) as retries, sum(c.hedges) as hedges,
      sum(c.wasted_tokens) as wasted_tokens, sum(c.cached_tokens) as cached_tokens,
      sum(c.cache_write_tokens) as cache_write_tokens,
      sum(c.reasoning_tokens) as reasoning_tokens, sum(c.wasted_cost) as wasted_cost,
      sluice.histogram(array_agg(c.wait_bin), array_agg(c.called)) as wait_counts,
      sluice.histogram(array_agg(c.call_bin), array_agg(c.called)) as call_counts,
      sluice.histogram(array_agg(c.total_bin), array_agg(c.called)) as total_counts
    from cells c group by 1, 2, 3),
  added as (
    insert into sluice.history_row as h (step, at, model, tenant, solved, failed, cancelled,
      expired, called, wait_s, call_s, total_s, input_tokens, output_tokens, cost, retries, hedges,
      wasted_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, wasted_cost, wait_counts,
      call_counts, total_counts)
    select s.step, date_trunc(s.step, m.at, 'UTC'), m.model, m.tenant, sum(m.solved), sum(m.failed),
      sum(m.cancelled), sum(m.expired), sum(m.called), sum(m.wait_s), sum(m.call_s),
      sum(m.total_s), sum(m.input_tokens), sum(m.output_tokens), sum(m.cost), sum(m.retries),
      sum(m.hedges), sum(m.wasted_tokens), sum(m.cached_tokens), sum(m.cache_write_tokens),
      sum(m.reasoning_tokens), sum(m.wasted_cost), sluice.sum_counts(m.wait_counts),
      sluice.sum_counts(m.call_counts), sluice.sum_counts(m.total_counts)
    from minutes m cross join (values ('minute'), ('hour'), ('day')) s(step)
    group by 1, 2, grouping sets ((m.model, m.tenant), (m.model), (m.tenant), ())
    on conflict on constraint a_step_has_one_row do update set
      solved = h.solved + excluded.solved, failed = h.failed + excluded.failed,
      cancelled = h.cancelled + excluded.cancelled, expired = h.expired + excluded.expired,
      called = h.called + excluded.called, wait_s = h.wait_s + excluded.wait_s,
      call_s = h.call_s + excluded.call_s, total_s = h.total_s + excluded.total_s,
      input_tokens = h.input_tokens + excluded.input_tokens,
      output_tokens = h.output_tokens + excluded.output_tokens, cost = h.cost + excluded.cost,
      retries = h.retries + excluded.retries, hedges = h.hedges + excluded.hedges,
      wasted_tokens = h.wasted_tokens + excluded.wasted_tokens,
      cached_tokens = h.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens,
      wasted_cost = h.wasted_cost + excluded.wasted_cost,
      wait_counts = sluice.add_counts(h.wait_counts, excluded.wait_counts),
      call_counts = sluice.add_counts(h.call_counts, excluded.call_counts),
      total_counts = sluice.add_counts(h.total_counts, excluded.total_counts)),
  keyed as (   -- hours and days of keys
    insert into sluice.key_history_row as h (step, at, api_key, model, tenant, solved, failed,
      cancelled, expired, retries, hedges, input_tokens, output_tokens, wasted_tokens, cost)
    select s.step, date_trunc(s.step, c.at, 'UTC'), c.api_key, c.model, c.tenant, sum(c.solved),
      sum(c.failed), sum(c.cancelled), sum(c.expired), sum(c.retries), sum(c.hedges),
      sum(c.input_tokens), sum(c.output_tokens), sum(c.wasted_tokens), sum(c.cost)
    from cells c cross join (values ('hour'), ('day')) s(step) where c.api_key is not null
    group by 1, 2, 3, 4, 5 having c.api_key in (select a.id from sluice.api_key a)   -- not nobody's
    on conflict on constraint key_history_row_pkey do update set
      solved = h.solved + excluded.solved, failed = h.failed + excluded.failed,
      cancelled = h.cancelled + excluded.cancelled, expired = h.expired + excluded.expired,
      retries = h.retries + excluded.retries, hedges = h.hedges + excluded.hedges,
      input_tokens = h.input_tokens + excluded.input_tokens,
      output_tokens = h.output_tokens + excluded.output_tokens,
      wasted_tokens = h.wasted_tokens + excluded.wasted_tokens, cost = h.cost + excluded.cost)
  select coalesce(sum(c.solved + c.failed + c.cancelled + c.expired), 0) into v_ends from cells c;
  return v_ends;
end
$$;
