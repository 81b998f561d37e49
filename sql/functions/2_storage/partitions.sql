-- The partitions of task and result: ranges of ids, created ahead of the newest id and closed by
-- time.

-- id_ranges_max: how many ranges may exist at once, because a look-up that cannot prune locks each
-- of them (with 200 partitions fetching the prompts of a claim took 0.3 to 1.9 ms instead of 0.1,
-- and 403 locks).
create or replace function sluice.id_ranges_max() returns int
language sql immutable parallel safe
as $$ select 32 $$;

-- ids_ahead_min: how far ranges reach beyond the newest id. A login can use up some 50,000 ids a
-- second, even if it always rolls back; workers create ranges each minute, or every ten minutes
-- while asleep. This number lasts 40 minutes.
create or replace function sluice.ids_ahead_min() returns bigint
language sql immutable parallel safe
as $$ select 134217728::bigint $$;

-- make_partitions: creates ranges until they reach ids_ahead_min() beyond id p_last. Called by
-- retain and tick for the newest id, and by a submit near the end of the last range: until that
-- commits nobody can use the new range, nor create another. Each range is four times as wide as
-- the one before (which close_range may have shortened), and at least half of ids_ahead_min()
-- wide. So a few ranges hold any number of tasks, and are still closed by time. Uses only CREATE
-- TABLE (LIKE) and ATTACH, which wait for no reader (3 ms beside an open pg_dump), whereas
-- PARTITION OF, DROP and DETACH wait, and submits wait behind them. Returns without waiting if
-- another session is creating ranges.
create or replace function sluice.make_partitions(p_last bigint) returns void
language plpgsql volatile
as $$
declare
  v_newest sluice.id_range;
begin
  while (select coalesce(max(r.end_id), 0) < p_last + sluice.ids_ahead_min()
    and count(*) < sluice.id_ranges_max() from sluice.id_range r)
        and pg_try_advisory_xact_lock(sluice.lock_class('partitions'), 0) loop
    select * into v_newest from sluice.id_range order by first_id desc limit 1;
    perform sluice.make_range(coalesce(v_newest.n + 1, 0), coalesce(v_newest.end_id, 0),
      coalesce(v_newest.end_id, 0) + greatest(4 * (v_newest.end_id - v_newest.first_id),
        sluice.ids_ahead_min() / 2));
  end loop;
end
$$;

-- retention_slack: how much longer than settings.retention a finished task may be kept: an hour or
-- a tenth of it, whichever is more.
create or replace function sluice.retention_slack() returns interval
language sql stable
as $$ select greatest(interval '1 hour', retention / 10) from sluice.settings $$;

-- close_range: closes the range of the newest id when its first task is older than two thirds of
-- the slack: the next ids are in the next range. A third of the slack is then left for dropping the
-- range. 15 ranges cover a retention period, and the last six are kept for bursts. The only visible
-- effect is a gap in the ids. ALTER SEQUENCE takes a lock that conflicts with the one that nextval
-- holds until its transaction ends, so no open transaction has an id of the old range, and no id
-- can be given out twice, as it could with setval beside nextval. Submits wait while close_range
-- waits for this lock, so it waits 10 ms at most; then the next round tries again.
-- Params:  p_now; null: does nothing.
-- Returns: whether it closed the range.
create or replace function sluice.close_range(p_now timestamptz) returns boolean
language plpgsql volatile
set lock_timeout = '10ms'
as $$
declare
  v_first timestamptz;
  v_range sluice.id_range;
  v_next sluice.id_range;
  v_newest sluice.id_range;
begin
  select r.* into v_range from sluice.id_range r, sluice.task_id s where s.last_value >= r.first_id
    and s.last_value < r.end_id;
  v_first := sluice.first_submit_in(v_range.n);
  if coalesce(v_first >= p_now - sluice.retention_slack() * 2 / 3, true)
     or (select count(*) from sluice.id_range) > sluice.id_ranges_max() - 6
     or not pg_try_advisory_xact_lock(sluice.lock_class('partitions'), 0) then
    return false;
  end if;
  select * into v_next from sluice.id_range where first_id >= v_range.end_id
  order by first_id limit 1;
  select * into v_newest from sluice.id_range order by first_id desc limit 1;
  if v_next.n is not null then
    perform sluice.make_range(v_newest.n + 1, v_newest.end_id,
      2 * v_newest.end_id - v_newest.first_id);
    alter sequence sluice.task_id cache 1;  -- changes nothing, and has the lock
    if (select last_value from sluice.task_id) < v_range.end_id then
      execute format('alter sequence sluice.task_id restart with %s', v_next.first_id);
      return true;
    end if;
  end if;
  return false;
exception when lock_not_available then
  return false;
end
$$;

-- first_submit_in: when the first task of range p_n was submitted; null: it is empty.
create or replace function sluice.first_submit_in(p_n int) returns timestamptz
language plpgsql volatile
as $$
declare
  v_first timestamptz;
begin
  if p_n is not null then
    execute format('select created_at from sluice.%I order by id limit 1', 'task_' || p_n)
      into v_first;
  end if;
  return v_first;
end
$$;

-- make_range: creates and attaches partitions p_n of both tables for the ids from p_first to before
-- p_end.
create or replace function sluice.make_range(p_n int, p_first bigint, p_end bigint) returns void
language plpgsql volatile
as $$
declare
  v_table text;
  v_name text;
begin
  foreach v_table in array array['task', 'result'] loop
    v_name := v_table || '_' || p_n;
    if to_regclass('sluice.' || v_name) is null then
      execute format('create table sluice.%I (like sluice.%I including all)', v_name, v_table);
      execute format('alter table sluice.%I attach partition sluice.%I '
                     'for values from (%s) to (%s)', v_table, v_name, p_first, p_end);
    end if;
  end loop;
  insert into sluice.id_range (n, first_id, end_id) values (p_n, p_first, p_end);
end
$$;

-- require_range: creates partitions when no range is ahead of task p_id, and less than half of
-- ids_ahead_min() is left: workers create them sooner, and cannot while a submitter's transaction
-- does.
-- Errors:  SL003 if there is no range for the task: another transaction is creating it, or there
--          are as many ranges as allowed. (The transaction that should have created it may have
--          rolled back, or the sequence of ids was set by hand.)
create or replace function sluice.require_range(p_id bigint) returns void
language plpgsql volatile
as $$
declare
  v_is_ahead boolean;
  v_there boolean;
begin
  for v_try in 1 .. 2 loop
    select coalesce(bool_or(r.first_id > p_id), false)
        or coalesce(max(r.end_id) - p_id > sluice.ids_ahead_min() / 2, false),
      coalesce(bool_or(p_id >= r.first_id and p_id < r.end_id), false)
    into v_is_ahead, v_there from sluice.id_range r;
    exit when v_is_ahead or v_try = 2;
    perform sluice.make_partitions(p_id);
  end loop;
  if not v_there then
    raise exception 'there is no partition for task %', p_id using errcode = 'SL003',
      hint = case when (select count(*) from sluice.id_range) >= sluice.id_ranges_max()
        then 'All ' || sluice.id_ranges_max()
          || ' are in use: shorten sluice.settings.retention, and run sluice.tick().'
        else 'A transaction that is still open is making one: end it, then try again.' end;
  end if;
end
$$;
