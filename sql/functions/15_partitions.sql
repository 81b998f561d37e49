-- partition_ids: how many task ids one partition of sluice.task and sluice.result holds while there are few of them.
create or replace function sluice.partition_ids() returns bigint
language sql immutable parallel safe
as $$ select 1000000::bigint $$;

-- partition_step: every so many ids a submit looks whether partitions are to be made: twenty times in a range.
create or replace function sluice.partition_step() returns bigint
language sql immutable parallel safe
as $$ select greatest(1, sluice.partition_ids() / 20) $$;

-- id_ranges_max: how many ranges may live at once: a look-up that cannot prune locks each of them (measured with 200
-- partitions: the prompts of a claim 0.1 -> 0.3-1.9 ms, 403 locks).
create or replace function sluice.id_ranges_max() returns int
language sql immutable parallel safe
as $$ select 32 $$;

-- make_partitions: keeps two ranges ahead of the newest id. Called by tick, and by submits whenever their ids
-- p_first..p_last pass a multiple of a twentieth of a range, so that it costs an ordinary submit one division.
-- From the 17th living range on each is twice as wide as the one before: a month of 1,000 tasks a second fits too.
-- Only CREATE TABLE (LIKE) + ATTACH: it waits for no reader (3 ms beside an open pg_dump), where PARTITION OF, DROP and
-- DETACH wait and make submits wait behind them. Whoever finds another one at it goes on.
create or replace function sluice.make_partitions(p_first bigint, p_last bigint) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_step bigint := sluice.partition_step();
  v_live int;
  v_n int;
  v_first bigint;
begin
  if (p_first - 1) / v_step = p_last / v_step
     or (select count(*) from sluice.id_range where first_id > p_last) >= 2
     or not pg_try_advisory_xact_lock(sluice.lock_class('partitions'), 0) then
    return;
  end if;
  loop
    select count(*), coalesce(max(n) + 1, 0), coalesce(max(end_id), 0) into v_live, v_n, v_first from sluice.id_range;
    exit when v_live >= sluice.id_ranges_max()
           or (select count(*) from sluice.id_range where first_id > p_last) >= 2;
    perform sluice.make_range(v_n, v_first, v_first + sluice.partition_ids() * (1::bigint << greatest(0, v_live - 15)));
  end loop;
end
$$;

-- make_range: creates and attaches partitions p_n of both tables for the ids from p_first to before p_end.
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
      execute format('alter table sluice.%I attach partition sluice.%I for values from (%s) to (%s)',
                     v_table, v_name, p_first, p_end);
    end if;
  end loop;
  insert into sluice.id_range (n, first_id, end_id) values (p_n, p_first, p_end);
end
$$;

-- require_range: makes the partitions for task p_id if there are none: the transaction that was to make them was undone, or
-- the sequence of ids was set. Errors: SL003 when that cannot be now.
create or replace function sluice.require_range(p_id bigint) returns void
language plpgsql volatile
as $$
begin
  if not sluice.has_range(p_id) then
    perform sluice.make_partitions(0, p_id);
    if not sluice.has_range(p_id) then
      raise exception 'there is no partition for task %', p_id using errcode = 'SL003',
        hint = case when (select count(*) from sluice.id_range) >= sluice.id_ranges_max()
          then 'All ' || sluice.id_ranges_max() || ' are in use: shorten sluice.settings.retention, and run sluice.tick().'
          else 'A transaction that is still open is making one: end it, then try again.' end;
    end if;
  end if;
end
$$;

-- has_range: whether task p_id has a partition to go to. Submits ask it in their own words: a call costs them 10 us more.
create or replace function sluice.has_range(p_id bigint) returns boolean
language plpgsql stable
as $$
begin
  return exists (select from sluice.id_range r where p_id >= r.first_id and p_id < r.end_id);
end
$$;
