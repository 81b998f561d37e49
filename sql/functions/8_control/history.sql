-- The history: what became of tasks, by minute, hour and day. A look adds the ends and the calls
-- that it has not counted yet to their rows. Workers look every 45 s, and tick does; nothing on
-- the path of a task knows of it. An index finds young ends (result_by_end): blocks of them.
--
-- Each end is counted once, also if its transaction commits long after it has noted the time. A
-- look therefore remembers what it saw: the snapshot, and because a snapshot does not name
-- subtransactions, those of the transactions above its xmin whose ends it has counted. An end that
-- is younger than the last look is counted anyway. A row is known by the transaction that stored
-- it: its xmin, or stored_by if the row was written again. What a transaction stores that stays
-- open for more than history_wait() is not counted.

-- history_wait: how long after its time an end may be committed, and still be counted. While some
-- transaction of the cluster stays open, each look reads again what ended since then.
create or replace function sluice.history_wait() returns interval
language sql immutable parallel safe
as $$ select interval '10 minutes' $$;

-- keep_history: a look: adds what has ended to the history, and removes rows that are too old. For
-- want of a better round it also shows prices that have come into force in the rows of models,
-- makes the steps of ramps and the looks of shadows, and counts the tenants' tasks where they are
-- many. It takes a second at most: of more ends it counts a part (of a million that came at once in
-- four walks through them, 6 s); shadows take another second, and so do some million tasks. Does
-- nothing while another session looks, for 10 s after the last look, and in a transaction that has
-- written already: its own ends are not committed.
-- Returns: counted: how many ends; is_done: false: there are more, look again.
create or replace function sluice.keep_history(
  p_now timestamptz default null, out counted bigint, out is_done boolean)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set jit = off
set lock_timeout = '1s'   -- as retain
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
begin
  counted := 0;
  is_done := true;
  if pg_current_xact_id_if_assigned() is not null
     or current_setting('transaction_isolation') <> 'read committed'
     or not pg_try_advisory_xact_lock(sluice.lock_class('history'), 0)
     or exists (select from sluice.history_look l where l.next_id is null
       and v_now between l.looked_at and l.looked_at + interval '10 seconds') then
    return;
  end if;
  counted := sluice.count_ends(v_now);
  is_done := not exists (select from sluice.history_look where next_id is not null);
  if is_done then
    perform sluice.summarize_ends(), sluice.forget_history(v_now),
      sluice.show_prices(null, v_now), sluice.advance_ramps(v_now),
      sluice.look_at_shadows(v_now);
  end if;
  -- Last, for it locks the gate.
  perform sluice.look_at_tenants(v_now) where sluice.are_many_unfinished();
end
$$;

-- count_ends: keep_history in any transaction, with the plans of all that it calls. Returns how
-- many ends it counted.
create or replace function sluice.count_ends(p_now timestamptz) returns bigint
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_custom_plan
as $$
declare
  c_all constant bigint := 9223372036854775807;
  v_began timestamptz;
  v_started timestamptz;
  -- Counting, too, begins with a walk through all ends of the round, as long as the one that finds
  -- where it ends, however few it counts: parts that are small beside that would make it quadratic.
  v_walk interval;
  v_begun record;
  v_look sluice.history_look;
  v_upto bigint;      -- where this look must end
  v_counted bigint;
begin
  v_begun := sluice.begin_look(p_now);
  v_look := v_begun.look;
  v_began := clock_timestamp();
  if v_begun.ends is null or v_begun.ends > v_look.ends_max then
    v_upto := (select e.task_id from sluice.uncounted_ends(v_look) e order by e.task_id
      offset v_look.ends_max limit 1);
  end if;
  v_started := clock_timestamp();
  v_walk := v_started - v_began;
  v_counted := sluice.add_cells(v_look, coalesce(v_upto, c_all));
  update sluice.history_look set next_id = v_upto, looked_at = p_now,
    ends_max = case
      when clock_timestamp() > v_started + greatest(interval '1 second', 2.5 * v_walk)
        then greatest(1000, ends_max / 2)
      when clock_timestamp() < v_started + greatest(interval '300 ms', 1.5 * v_walk)
          and v_counted > ends_max / 2
        then least(1000000, ends_max * 2)
      else ends_max end;
  if v_upto is null then
    perform sluice.end_look();
  end if;
  return v_counted;
end
$$;

-- begin_look: begins a round of looks, unless one is under way: notes what it sees, which the round
-- counts.
-- Returns: look: the row of history_look; ends: how many there are to count; null: not known.
create or replace function sluice.begin_look(
  p_now timestamptz, out look sluice.history_look, out ends bigint)
language plpgsql volatile
as $$
declare
  -- How many transactions a look names at most, 800 kB. Above that only ends that a subtransaction
  -- stored, and that were not committed at the last look, are not counted.
  c_counted_max constant int := 100000;
begin
  update sluice.history_look l set place = 'sluice.history_look'::regclass, since = l.at,
    seen = pg_current_snapshot(), counted = '{}', next_id = null,
    counted_from = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  where l.place <> 'sluice.history_look'::regclass;
  -- The clock was set back: from now on, and what came in the last history_wait() and was not
  -- counted. What was counted at times to come counts twice.
  update sluice.history_look l set at = p_now, since = p_now - sluice.history_wait(),
    marked_at = p_now, marked_xid = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  where l.at > p_now + interval '1 minute';
  select l.* into look from sluice.history_look l;
  if look.next_id is not null then
    return;
  end if;
  look.next_id := 0;
  look.next_at := greatest(look.at, p_now);
  look.next_attempt := least(look.attempt + 1000000,
    greatest(look.attempt, (select max(a.id) + 1 from sluice.attempt a)));
  look.next_seen := null;
  with seen as materialized (
    select s, pg_snapshot_xmin(s)::text::bigint as xmin, pg_snapshot_xmax(s)::text::bigint as xmax
    from pg_current_snapshot() s),
  found as (
    select count(*) as ends, array_agg(distinct e.xid) filter (where e.xid >= s.xmin) as xids
    from sluice.uncounted_ends(look) e cross join seen s),
  called as (select array_agg(distinct a.xid) filter (where a.xid >= s.xmin) as xids
    from sluice.uncounted_calls(look) a cross join seen s),
  known as (
    select array(select distinct x from unnest(look.counted || f.xids || c.xids) x
      where x >= s.xmin) as xids from found f cross join called c cross join seen s)
  select f.ends, s.s,
    case when cardinality(k.xids) <= c_counted_max then k.xids else '{}' end,
    case when cardinality(k.xids) <= c_counted_max then look.counted_from else s.xmax end
  into ends, look.next_seen, look.next_counted, look.next_counted_from
  from found f cross join known k cross join seen s;
  update sluice.history_look l set next_id = look.next_id, next_at = look.next_at,
    next_seen = look.next_seen, next_counted = look.next_counted,
    next_counted_from = look.next_counted_from, next_attempt = look.next_attempt;
end
$$;

-- end_look: ends a round of looks: all that it saw is counted. A transaction may have read the
-- clock a minute before its first write.
create or replace function sluice.end_look() returns void
language sql volatile
as $$
  update sluice.history_look l set next_id = null, at = l.next_at, seen = l.next_seen,
    counted = l.next_counted, counted_from = l.next_counted_from, attempt = l.next_attempt,
    since = greatest(case when m.is_over then l.marked_at - interval '1 minute' else l.since end,
      l.next_at - sluice.history_wait()),
    attempt_from = case when m.is_over then l.marked_attempt else l.attempt_from end,
    marked_at = case when m.is_over then l.next_at else l.marked_at end,
    marked_attempt = case when m.is_over then l.next_attempt else l.marked_attempt end,
    marked_xid = case when m.is_over then pg_snapshot_xmax(l.next_seen)::text::bigint
      else l.marked_xid end
  from (select pg_snapshot_xmin(k.next_seen)::text::bigint >= k.marked_xid
      or k.marked_at < k.next_at - sluice.history_wait() as is_over from sluice.history_look k) m
$$;

-- summarize_ends: has the index that finds young ends take in the blocks that have been filled
-- since the last time, of partitions that are written to. A session that has one of them locked
-- (VACUUM) does it itself, or the next look will.
create or replace function sluice.summarize_ends() returns void
language plpgsql volatile
set lock_timeout = '50ms'
as $$
declare
  v_index regclass;
begin
  for v_index in
    select i.inhrelid from pg_inherits i where i.inhparent = 'sluice.result_by_end'::regclass
  loop
    begin
      perform brin_summarize_new_values(v_index);
    exception when lock_not_available or insufficient_privilege then  -- another owner's
      null;
    end;
  end loop;
end
$$;

-- forget_history: removes rows that are too old: minutes after settings.history, hours after 400
-- days, as the audit, days after ten years; at most 10,000 rows of each.
create or replace function sluice.forget_history(p_now timestamptz) returns void
language plpgsql volatile
set enable_seqscan = off set jit = off
as $$
declare
  v_kept record;
begin
  for v_kept in
    select k.step, k.lifetime from sluice.settings s cross join lateral (
      values ('minute', s.history), ('hour', interval '400 days'), ('day', interval '10 years'))
      k(step, lifetime)
  loop
    delete from sluice.history_row h where h.ctid = any (array(
      select o.ctid from sluice.history_row o
      where o.step = v_kept.step and o.at < p_now - v_kept.lifetime order by o.at limit 10000));
    delete from sluice.key_history_row h where h.ctid = any (array(
      select o.ctid from sluice.key_history_row o
      where o.step = v_kept.step and o.at < p_now - v_kept.lifetime order by o.at limit 10000));
  end loop;
end
$$;
