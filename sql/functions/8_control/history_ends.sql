-- What a look at the history has to count, and what has been counted.

-- next_xid: the number that age() counts back from, with its epoch: next_xid() - age(xmin) is the
-- whole number of a transaction of the last two thousand million.
create or replace function sluice.next_xid() returns bigint
language sql stable
as $$
  select n.xid + age((n.xid % 4294967296)::text::xid)
  from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid) n
$$;

-- is_counted: whether a look has counted the ends of a transaction.
-- Params:  p_xid; p_seen, p_counted, p_from: seen, counted, counted_from of the look.
create or replace function sluice.is_counted(
  p_xid bigint, p_seen pg_snapshot, p_counted bigint[], p_from bigint) returns boolean
language sql immutable
as $$
  select p_xid < pg_snapshot_xmin(p_seen)::text::bigint or p_xid = any (p_counted)
    or (p_xid < p_from and pg_visible_in_snapshot(p_xid::text::xid8, p_seen))
$$;

-- uncounted_ends: the ends of tasks from next_id on that a round of looks counts: results, and ends
-- that were taken back before they were counted.
create or replace function sluice.uncounted_ends(p_look sluice.history_look)
returns table (task_id bigint, status text, model text, created_at timestamptz,
  queued_at timestamptz, started_at timestamptz, finished_at timestamptz, input_tokens int,
  output_tokens int, cost numeric, xid bigint, cached_tokens int, cache_write_tokens int,
  reasoning_tokens int)
language sql stable
as $$
  select e.* from (
    select r.task_id, r.status, r.model, r.created_at, r.queued_at, r.started_at, r.finished_at,
      r.input_tokens, r.output_tokens, r.cost,
      coalesce(r.stored_by, (select sluice.next_xid()) - age(r.xmin)) as xid, r.cached_tokens,
      r.cache_write_tokens, r.reasoning_tokens
    from sluice.result r where r.finished_at >= p_look.since
    union all
    select a.task_id, case a.error_code when 'cancelled' then 'cancelled' when 'deadline'
        then 'expired' else 'failed' end, a.model, t.created_at, null, a.started_at, a.ended_at,
      a.input_tokens, a.output_tokens, a.cost,
      coalesce(a.stored_by, (select sluice.next_xid()) - age(a.xmin)), a.cached_tokens,
      a.cache_write_tokens, a.reasoning_tokens
    from sluice.attempt a cross join lateral (
      select t.created_at from sluice.task t where t.id = a.task_id limit 1) t
    where a.kind = 'redriven' and a.id >= p_look.attempt_from) e
  where e.finished_at < p_look.next_at and e.task_id + 0 >= p_look.next_id   -- never by the key
    and (e.finished_at >= p_look.at
      or not sluice.is_counted(e.xid, p_look.seen, p_look.counted, p_look.counted_from))
    and (p_look.next_seen is null or sluice.is_counted(e.xid, p_look.next_seen,
      p_look.next_counted, p_look.next_counted_from))
$$;

-- uncounted_calls: the calls that failed, were lost or came too late, and extra ones, that a round
-- of looks counts.
create or replace function sluice.uncounted_calls(p_look sluice.history_look)
returns table (task_id bigint, kind text, model text, started_at timestamptz, at timestamptz,
  input_tokens int, output_tokens int, cost numeric, xid bigint)
language sql stable
as $$
  select a.task_id, a.kind, a.model, a.started_at, coalesce(a.ended_at, a.started_at),
    a.input_tokens, a.output_tokens, a.cost, x.xid
  from sluice.attempt a
  cross join lateral (
    select coalesce(a.stored_by, (select sluice.next_xid()) - age(a.xmin)) as xid) x
  where a.kind <> 'redriven' and a.id >= p_look.attempt_from and a.id < p_look.next_attempt
    and (a.id >= p_look.attempt
      or not sluice.is_counted(x.xid, p_look.seen, p_look.counted, p_look.counted_from))
    and (p_look.next_seen is null or sluice.is_counted(x.xid, p_look.next_seen,
      p_look.next_counted, p_look.next_counted_from))
$$;
