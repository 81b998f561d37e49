-- Retention: finished tasks leave by dropping whole ranges of ids, the oldest first. What of a range must stay (unfinished
-- tasks, results younger than settings.retention) moves to the attic, the partition below all ranges; in the attic
-- finished tasks leave row by row.
--
-- DROP and DETACH wait for every reader, and every submit waits behind whoever waits. So nothing here waits: the locks
-- are tried (NOWAIT), a few times with pauses, and an open pg_dump or report delays retention and nothing else.

-- carried_tasks_max, carried_bytes_max: how much one range may leave to the attic. It is copied while submits wait: this much
-- takes less than a second. A range that would leave more stays until it does not.
create or replace function sluice.carried_tasks_max() returns int
language sql immutable parallel safe
as $$ select 10000 $$;

create or replace function sluice.carried_bytes_max() returns bigint
language sql immutable parallel safe
as $$ select 67108864::bigint $$;

-- retain: one round of retention: at most one range, and at most 1,000 tasks of the attic with what belongs to them.
-- Stage:   86. Best as a transaction of its own, as tick is: after a drop it holds sluice.task exclusively until the commit.
-- Returns: dropped: the ranges dropped; erased: the rows deleted one by one.
-- Does nothing above READ COMMITTED: an old snapshot does not see the results that must stay.
create or replace function sluice.retain(p_now timestamptz default null, out dropped int, out erased int)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set jit = off
as $$
declare
  v_round sluice.retention_round := sluice.begin_retention(coalesce(p_now, clock_timestamp()));
begin
  erased := v_round.erased;
  dropped := sluice.end_retention(v_round, 100);
end
$$;

-- begin_retention: the half that takes time and holds up nobody: deletes from the attic, and finds a range to drop and what of
-- it must stay. It keeps the range as it is until the end of the transaction: no redrive, no late submit.
-- Walks the range's keys, hence at least 1 s and 50 times its own last duration apart.
create or replace function sluice.begin_retention(p_now timestamptz) returns sluice.retention_round
language plpgsql volatile
as $$
declare
  v_cutoff timestamptz := p_now - (select retention from sluice.settings);
  v_started timestamptz := clock_timestamp();
  v_due timestamptz := sluice.from_micros(coalesce(pg_sequence_last_value('sluice.retain_after'::regclass), 0));
  v_range sluice.id_range;
  v_round sluice.retention_round;
begin
  v_round.erased := 0;
  -- A time further ahead than any round sets: the clock was set back.
  if current_setting('transaction_isolation') <> 'read committed' or (p_now < v_due and v_due < p_now + interval '1 hour')
     or not pg_try_advisory_xact_lock(sluice.lock_class('retain'), 0) then
    return v_round;
  end if;
  v_round.erased := sluice.erase_from_attic(v_cutoff) + sluice.erase_leftovers();
  v_range := sluice.oldest_range(v_cutoff);
  if v_range.n is not null and sluice.try_lock('sluice.task_' || v_range.n, 'share', 1) then
    v_round.carried := sluice.to_carry(v_range, v_cutoff);
    if v_round.carried is not null then
      v_round.n := v_range.n;
      v_round.end_id := v_range.end_id;
    end if;
  end if;
  perform setval('sluice.retain_after', sluice.micros(p_now
    + least(greatest(interval '1 second', 50 * (clock_timestamp() - v_started)), interval '30 minutes')));
  return v_round;
end
$$;

-- end_retention: drops what begin_retention found in this transaction, if the locks are to be had in p_tries tries.
-- Returns the number of ranges dropped.
create or replace function sluice.end_retention(p_round sluice.retention_round, p_tries int) returns int
language plpgsql volatile
as $$
begin
  if p_round.n is null or not sluice.try_lock(format('only sluice.task, only sluice.result, sluice.task_attic,
      sluice.result_attic, sluice.task_%1$s, sluice.result_%1$s', p_round.n), 'access exclusive', p_tries) then
    return 0;
  end if;
  perform sluice.drop_range(p_round);
  return 1;
end
$$;

-- oldest_range: the lowest range, if all its ids are given out and its last task is older than p_cutoff; else null.
create or replace function sluice.oldest_range(p_cutoff timestamptz) returns sluice.id_range
language plpgsql volatile
as $$
declare
  v_range sluice.id_range;
  v_last timestamptz;
begin
  select * into v_range from sluice.id_range order by first_id limit 1;
  if coalesce(v_range.end_id > (select last_value from sluice.task_id), true) then
    return null;
  end if;
  execute format('select created_at from sluice.%I order by id desc limit 1', 'task_' || v_range.n) into v_last;
  return case when coalesce(v_last < p_cutoff, true) then v_range end;
end
$$;

-- to_carry: the tasks of a range that must move to the attic: unfinished, or finished since p_cutoff. Null: too many.
-- Holds while lock_class('retain') and the range's tasks are locked: one of them can finish, but none can come, nor become
-- unfinished again. Reads the two keys of the range and no more:
-- 0.8 s for a million tasks.
create or replace function sluice.to_carry(p_range sluice.id_range, p_cutoff timestamptz) returns bigint[]
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off
as $$
declare
  v_ids bigint[];
  v_bytes bigint;
begin
  execute format('select array_agg(c.id) from (
      select t.id from sluice.%I t left join sluice.%I r on r.task_id = t.id
      where r.task_id is null or r.finished_at >= $1
      limit $2) c', 'task_' || p_range.n, 'result_' || p_range.n)
  into v_ids using p_cutoff, sluice.carried_tasks_max() + 1;
  execute format('select sum(200 + coalesce(pg_column_size(t.prompt), pg_column_size(t.request))
        + coalesce(pg_column_size(r.answer), 0) + coalesce(pg_column_size(r.response), 0))
      from sluice.%I t left join sluice.%I r on r.task_id = t.id where t.id = any ($1)',
    'task_' || p_range.n, 'result_' || p_range.n)
  into v_bytes using v_ids;
  return case when coalesce(cardinality(v_ids), 0) <= sluice.carried_tasks_max()
               and coalesce(v_bytes, 0) <= sluice.carried_bytes_max() then coalesce(v_ids, '{}') end;
end
$$;

-- try_lock: locks tables without ever waiting in the queue of their locks, where others would wait behind. A busy system
-- has moments in which nobody reads a task: p_tries tries, 5 ms apart.
create or replace function sluice.try_lock(p_tables text, p_mode text, p_tries int) returns boolean
language plpgsql volatile
as $$
begin
  for v_try in 1 .. p_tries loop
    begin
      execute format('lock table %s in %s mode nowait', p_tables, p_mode);
      return true;
    exception when lock_not_available then
      perform pg_sleep(case when v_try < p_tries then 0.005 else 0 end);
    end;
  end loop;
  return false;
end
$$;

-- drop_range: moves the carried tasks and their results to the attic, raises the attic's bound above the range, and drops
-- the range's partitions. Requires all of them locked.
create or replace function sluice.drop_range(p_round sluice.retention_round) returns void
language plpgsql volatile
as $$
declare
  v_table text;
  v_name text;
  v_attic text;
begin
  foreach v_table in array array['task', 'result'] loop
    v_name := v_table || '_' || p_round.n;
    v_attic := v_table || '_attic';
    execute format('alter table sluice.%I detach partition sluice.%I', v_table, v_attic);
    execute format('alter table sluice.%I detach partition sluice.%I', v_table, v_name);
    execute format('insert into sluice.%I (%3$s) select %3$s from sluice.%2$I where %4$s = any ($1)', v_attic, v_name,
      sluice.columns_of(v_table), case v_table when 'task' then 'id' else 'task_id' end) using p_round.carried;
    execute format('alter table sluice.%I attach partition sluice.%I for values from (minvalue) to (%s)',
                   v_table, v_attic, p_round.end_id);
    execute format('drop table sluice.%I', v_name);
  end loop;
  delete from sluice.id_range where n = p_round.n;
end
$$;

-- columns_of: the columns of a table by name: partitions may have them in another order.
create or replace function sluice.columns_of(p_table text) returns text
language sql stable
as $$
  select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
  where attrelid = ('sluice.' || quote_ident(p_table))::regclass and attnum > 0 and not attisdropped
$$;

-- erase_from_attic: deletes the attic's finished tasks that are older than p_cutoff; at most 1,000. Returns how many.
create or replace function sluice.erase_from_attic(p_cutoff timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_ids bigint[];
begin
  with old as materialized (
    select task_id from sluice.result_attic where finished_at < p_cutoff limit 1000 for update skip locked),
  gone as (
    delete from sluice.result_attic r using old where r.task_id = old.task_id returning r.task_id)
  select array_agg(task_id) into v_ids from gone;
  delete from sluice.task_attic where id = any (v_ids);
  return coalesce(cardinality(v_ids), 0);
end
$$;

-- erase_leftovers: deletes attempts, idempotency keys and marks of cancelled calls of tasks that are no more; at most
-- 10,000 rows of each.
-- Only below the lowest range: no task comes back there. Returns how many.
create or replace function sluice.erase_leftovers() returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_lowest bigint := (select min(first_id) from sluice.id_range);
  v_attempts int;
  v_keys int;
  v_cancellations int;
begin
  delete from sluice.attempt where id in (
    select a.id from sluice.attempt a
    where a.task_id < v_lowest and not exists (select from sluice.task_attic t where t.id = a.task_id)
    order by a.task_id limit 10000);
  get diagnostics v_attempts = row_count;
  delete from sluice.idempotency where (tenant, key_sha256) in (
    select i.tenant, i.key_sha256 from sluice.idempotency i
    where i.task_id < v_lowest and not exists (select from sluice.task_attic t where t.id = i.task_id)
    order by i.task_id limit 10000);
  get diagnostics v_keys = row_count;
  delete from sluice.cancellation where (task_id, fence) in (
    select c.task_id, c.fence from sluice.cancellation c
    where c.task_id < v_lowest and not exists (select from sluice.task_attic t where t.id = c.task_id)
    order by c.task_id limit 10000);
  get diagnostics v_cancellations = row_count;
  return v_attempts + v_keys + v_cancellations;
end
$$;
