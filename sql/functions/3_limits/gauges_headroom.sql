-- Headroom below a bound, which submits take by its gauge, or by a count where that says "full".

-- tasks_stored: how many tasks this transaction has stored, or more: those of savepoints that were
-- rolled back count, too, and of transactions of this session that PostgreSQL has not told its
-- statistics yet (for seconds, but recount_headroom makes it tell them). Its own counters, for the
-- caller could change a setting.
create or replace function sluice.tasks_stored() returns bigint
language plpgsql volatile
as $$
begin
  if pg_current_xact_id_if_assigned() is null then
    return 0;
  end if;
  return (select coalesce(sum(pg_stat_get_xact_tuples_inserted(i.inhrelid)), 0)::bigint
    from pg_inherits i where i.inhparent = 'sluice.task'::regclass);
end
$$;

-- own_moves: the same of tasks that it has put where they wait or are called (arrived: new, or as
-- often as they moved), and of those that it has taken from there (departed).
create or replace function sluice.own_moves(out arrived bigint, out departed bigint)
language plpgsql volatile
as $$
begin
  select coalesce(sum(pg_stat_get_xact_tuples_inserted(c.oid)), 0),
    coalesce(sum(pg_stat_get_xact_tuples_deleted(c.oid)), 0)
  into own_moves.arrived, own_moves.departed
  from (select i.inhrelid as oid from pg_inherits i where i.inhparent = 'sluice.queue'::regclass
    union all values ('sluice.later'::regclass), ('sluice.lease'::regclass)) c
  where pg_current_xact_id_if_assigned() is not null;
end
$$;

-- take_headroom: takes headroom for new tasks below p_max; the only function that does. By ids
-- nothing is left to take: the ids were drawn before.
-- Params:  p_wanted: tasks; p_full: the share of p_max that counts as full; p_least: do not take
--          headroom for fewer tasks.
-- Returns: for how many tasks there is headroom, at most p_wanted.
-- Many tasks, and those of the front, are compared with the gauge before they draw from it: when
-- they are refused they must not use up the headroom of smaller submits, and of SQL.
-- A transaction that has stored as many tasks as a tenant may have is counted with them: others set
-- the gauge by counts that do not see them.
create or replace function sluice.take_headroom(
  p_kind text, p_of text, p_wanted int, p_max bigint, p_full double precision,
  p_least int default 1)
returns int
language plpgsql volatile
as $$
declare
  v_gauge regclass := sluice.gauge(p_kind, p_of);
  v_load bigint;
begin
  if sluice.counts_by_ids(p_kind, p_of) then
    v_load := least(sluice.gauge_usage(v_gauge, true), sluice.gauge_usage('sluice.load_all',
      true)) - p_wanted;
  elsif p_wanted = 1 and p_full >= sluice.full_share(p_kind) then
    v_load := nextval(v_gauge) - 1;
  elsif sluice.headroom(pg_sequence_last_value(v_gauge), p_max, p_full) >= p_wanted then
    v_load := (select max(nextval(v_gauge)) - p_wanted from generate_series(1, p_wanted));
  end if;
  if sluice.headroom(v_load, p_max, p_full) >= p_wanted
    and (p_kind <> 'tenant' or sluice.tasks_stored() <= p_max - p_wanted) then
    return p_wanted;
  end if;
  return sluice.recount_headroom(p_kind, p_of, p_wanted, p_max, p_full, p_least);
end
$$;

-- note_unfinished: adds tasks that come to a model or line otherwise than by a submit (they are
-- redriven, or moved) to the gauges of their tenants, models and lines, so that submits go by them.
-- They themselves are never refused.
create or replace function sluice.note_unfinished(p_ids bigint[]) returns void
language plpgsql volatile
as $$
begin
  perform max(nextval(g.gauge))
  from (
    with task as materialized (
      select t.tenant, t.model, t.route, t.api, t.schema_version, count(*)::int as tasks
      from unnest(p_ids) i cross join lateral (
        select t.* from sluice.task t where t.id = i limit 1) t
      group by 1, 2, 3, 4, 5)
    select to_regclass('sluice.load_tenant_' || md5(t.tenant)) as gauge, t.tasks from task t
    union all
    select to_regclass('sluice.load_' || m.id), t.tasks
    from task t join sluice.models m on m.id = t.model and m.max_unfinished is not null
    union all
    select to_regclass('sluice.waits_' || sluice.line_name(
      sluice.line_of(t.model, t.route, t.api, t.schema_version, null))), t.tasks
    from task t
    where exists (select from sluice.models m where m.max_queue is not null)) g
  cross join lateral generate_series(1, g.tasks)
  where g.gauge is not null;
end
$$;

-- count_cheap_ms: how long a count for a refused submit may take. After one that took longer and
-- found everything full, no other is made for 20 times as long, at least a second, so that nobody
-- can keep the database counting. (While there is headroom for some tasks, a submit of more may
-- count; one count at a time.)
create or replace function sluice.count_cheap_ms() returns int
language sql immutable parallel safe
as $$ select 50 $$;

-- recount_headroom: take_headroom with the gauge set by counting. Only one session counts at a
-- time: else an older count could replace a newer one (seen: 155 tasks under a bound of 100). The
-- lock is released with the block, even if it fails, because the transaction may stay open. A long
-- count that finds room for SQL, but none for the front, forbids the front's next one alone.
-- The gauge only goes up where others may not go by the count: above READ COMMITTED it lacks what
-- is younger than its snapshot, and after own ends what comes back when these are undone (D-389).
-- No time to wait is set where it is full only of own open tasks, or of what was taken meanwhile,
-- which may be undone.
-- Errors:  55P03 another session counts, and takes long.
create or replace function sluice.recount_headroom(
  p_kind text, p_of text, p_wanted int, p_max bigint, p_full double precision,
  p_least int default 1)
returns int
language plpgsql volatile
-- for who counts: the front's groups would wait less than a cheap count takes
set lock_timeout = '120ms'
as $$
declare
  v_gauge regclass := sluice.gauge(p_kind, p_of);
  v_by_ids boolean := sluice.counts_by_ids(p_kind, p_of);
  v_started timestamptz;
  v_drawn regclass;
  v_before bigint;
  v_counted bigint;
  v_load bigint;
  v_headroom bigint;
  v_took interval;
  v_again bigint;
  v_own record;
  v_granted int := 0;
begin
  perform pg_stat_force_next_flush();  -- what is counted as own then is, in the next transaction
  if current_setting('transaction_isolation') <> 'read committed' then
    if sluice.may_count(p_kind, p_of, p_full) then
      v_headroom := sluice.headroom(sluice.count_unfinished(p_kind, p_of, p_max), p_max, p_full);
      v_granted := case when v_headroom >= p_least then least(p_wanted, v_headroom) else 0 end;
      perform max(nextval(v_gauge)) from generate_series(1, v_granted) where not v_by_ids;
    end if;
    return v_granted;
  end if;
  perform pg_advisory_xact_lock(sluice.lock_class('count'), v_gauge::oid::int);
  v_started := clock_timestamp();
  if sluice.may_count(p_kind, p_of, p_full) then
    -- Room that others took while this one counted is kept.
    v_drawn := case when v_by_ids then 'sluice.task_id' else v_gauge end;
    v_before := pg_sequence_last_value(v_drawn);
    v_own := sluice.own_moves();
    v_counted := sluice.count_unfinished(p_kind, p_of, p_max);
    v_load := v_counted + greatest(0, pg_sequence_last_value(v_drawn) - v_before);
    v_headroom := sluice.headroom(v_load, p_max, p_full);
    v_granted := case when v_headroom >= p_least then least(p_wanted, v_headroom) else 0 end;
    v_took := clock_timestamp() - v_started;
    v_again := case when v_took > sluice.count_cheap_ms() * interval '1 ms'
        and sluice.headroom(v_counted - v_own.arrived, p_max, p_full) = 0
      then sluice.micros(clock_timestamp() + 20 * v_took) end;
    if v_again is not null and sluice.headroom(v_load, p_max, sluice.full_share(p_kind)) > 0 then
      perform setval(sluice.critical_time(p_kind, p_of), v_again);
      v_again := null;
    end if;
    if v_again is null and v_own.departed > 0 then
      perform max(nextval(v_gauge)) from generate_series(1, v_granted) where not v_by_ids;
    else
      perform setval(v_gauge, coalesce(v_again, case when v_by_ids
        then greatest(0, pg_sequence_last_value(v_drawn) - v_load - v_granted)
        else v_load + v_granted end));
    end if;
  end if;
  raise exception 'counted';
exception
  when raise_exception then
    return v_granted;
  when lock_not_available then
    raise exception 'another session is counting the unfinished tasks' using errcode = '55P03',
      hint = 'After a crash that takes a moment: try again.';
end
$$;
