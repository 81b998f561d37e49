-- Retention: a finished task is kept for settings.retention from its end, and at most
-- retention_slack() longer: an hour or a tenth; while an older batch is open, until that ends.
-- Ranges of ids are closed by number and by time (2_storage/partitions.sql), and are dropped as a
-- whole, the oldest first. Tasks of a range that must stay (unfinished ones, and results younger
-- than the retention) move to the retained partitions, those below all ranges. From these finished
-- tasks are deleted row by row. So they are from a range that cannot be dropped in time, because
-- too much of it must stay, or because a report reads it for hours.
--
-- DROP and DETACH wait for every reader, and every submit waits behind them. So a round waits at
-- most 50 ms for a reader, and the next such round comes 10 s later: an open pg_dump or report
-- delays a drop, and nothing else noticeably. An open redrive delays it, too: overdue tasks of the
-- range are then deleted row by row, except those that it has locked.

-- walk_cost: the cost of a walk over range p_n's results, in vacuumed tasks. A task that is not
-- vacuumed costs up to ten times as much, because not only its key is read. A range without
-- statistics (after an upgrade) is judged by its bytes, 100 a row.
create or replace function sluice.walk_cost(p_n int) returns bigint
language sql stable
as $$
  select ((case when reltuples < 0 then pg_relation_size(oid) / 100 else reltuples end)
          * (10 - 9 * least(1, relallvisible / greatest(1, relpages)::float8)))::bigint
  from pg_class where oid = ('sluice.result_' || p_n)::regclass
$$;

-- retain: one round of retention: drops partitions whose tasks are all older than
-- settings.retention, deletes what else is too old, also of the audit and of revisions, and creates
-- the partitions that ids will need. Workers call it, and so does tick. Best in a transaction of
-- its own: after a drop it holds an exclusive lock on sluice.task until the commit.
-- Returns: dropped: the ranges dropped; erased: the rows deleted one by one.
--
-- Notes in sluice.gate where the last range begins. Drops or closes at most one range, and deletes
-- at most as many tasks as retention_bounds allows, from ranges and from the retained partitions,
-- with everything that belongs to them. Called by tick in two halves. It leaves ranges of more than
-- ten million vacuumed tasks to tick and erase_overdue, because they take seconds, in which its
-- snapshot would keep dead rows of the queues. Does nothing above READ COMMITTED: an old snapshot
-- does not see the results that must stay.
create or replace function sluice.retain(
  p_now timestamptz default null, out dropped int, out erased int)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set jit = off
set lock_timeout = '1s'   -- rather an error now than others that wait behind it
as $$
declare
  v_round sluice.retention_round := sluice.begin_retention(sluice.now_for(p_now), 10000000);
begin
  if current_setting('transaction_isolation') = 'read committed' then
    perform sluice.make_partitions(last_value) from sluice.task_id;
    perform sluice.refresh_gate(false);
  end if;
  erased := v_round.erased;
  dropped := sluice.end_retention(v_round);
  if dropped + erased = 0 or random() < 0.02 then  -- once a minute, as rounds come
    perform sluice.forget_audit(clock_timestamp()), sluice.forget_revisions(clock_timestamp());
  end if;
end
$$;

-- begin_retention: the half that takes time and delays nobody: deletes rows, and finds a range to
-- drop and its tasks that must stay. Until the end of the transaction it keeps redrives and late
-- submits out of this range. It walks a range's keys, so it runs at least 1 s and 50 times its own
-- last duration apart; 10 times while there is something to delete.
-- Params:  p_tasks_max: the highest walk_cost of the range; null: any.
create or replace function sluice.begin_retention(
  p_now timestamptz, p_tasks_max bigint default null)
returns sluice.retention_round
language plpgsql volatile
as $$
declare
  v_cutoff timestamptz := sluice.retention_start(p_now);
  v_started timestamptz := clock_timestamp();
  v_range sluice.id_range;
  v_round sluice.retention_round;
begin
  v_round.erased := 0;
  if current_setting('transaction_isolation') <> 'read committed'
     or not sluice.is_due('sluice.retain_after', interval '1 hour', p_now)
     or not pg_try_advisory_xact_lock(sluice.lock_class('retain'), 0) then
    return v_round;
  end if;
  v_round.at := p_now;
  v_round.erased := sluice.erase_tasks('retained', array(
      select r.task_id from sluice.result_retained r where r.finished_at < v_cutoff
        limit (sluice.retention_bounds()).erased_tasks), v_cutoff)
    + sluice.erase_overdue(v_cutoff) + sluice.erase_leftovers();
  v_range := sluice.oldest_range(v_cutoff);
  if v_range.n is not null
     and coalesce(sluice.walk_cost(v_range.n) <= p_tasks_max, true)
     and pg_try_advisory_xact_lock(sluice.lock_class('retain'), 1)
     and sluice.lock_briefly('task_' || v_range.n) then
    v_round.retained := sluice.tasks_to_keep(v_range, v_cutoff);
    if v_round.retained is not null then
      v_round.n := v_range.n;
      v_round.end_id := v_range.end_id;
    end if;
  end if;
  perform setval('sluice.retain_after', sluice.micros(p_now + least(interval '30 minutes',
    greatest(interval '1 second', case when v_round.erased > 0 then 10
      else 50 end * (clock_timestamp() - v_started)))));
  return v_round;
end
$$;

-- end_retention: drops what begin_retention found in this transaction, if the locks are available.
-- Else closes the range of the newest id if it is time. Returns the number of ranges dropped.
create or replace function sluice.end_retention(p_round sluice.retention_round) returns int
language plpgsql volatile
as $$
begin
  if p_round.n is not null then
    if sluice.try_drop_range(p_round) then
      return 1;
    end if;
    perform setval('sluice.retain_after',
      greatest(pg_sequence_last_value('sluice.retain_after'::regclass),
        sluice.micros(p_round.at + interval '10 seconds')));
  end if;
  perform sluice.close_range(p_round.at);
  return 0;
end
$$;

-- try_drop_range: moves the tasks to keep and their results to the retained partitions, raises the
-- upper bound of these above the range, and drops the range's partitions. Columns are named,
-- because partitions may have them in another order. The moved results keep which transaction
-- stored them, as in forget_texts. Who has only USAGE of the schema can make a view of a partition,
-- without the right to read it: it goes with the partition (D-388).
-- Returns: false, and has changed nothing, if the locks are not available within 50 ms each: those
--          of the range, or those of such views, which may also be more than PostgreSQL's table of
--          locks takes, or nested too deep.
create or replace function sluice.try_drop_range(p_round sluice.retention_round) returns boolean
language plpgsql volatile
set lock_timeout = '50ms'
set client_min_messages = 'warning'   -- the names of those views are strangers' words
as $$
declare
  v_table text;
  v_name text;
  v_retained text;
  v_columns text;
begin
  execute format('lock table only sluice.task, only sluice.result, sluice.task_retained,
    sluice.result_retained, sluice.task_%1$s, sluice.result_%1$s in access exclusive mode',
    p_round.n);
  foreach v_table in array array['task', 'result'] loop
    v_name := v_table || '_' || p_round.n;
    v_retained := v_table || '_retained';
    v_columns := (select string_agg(quote_ident(attname), ', ') from pg_attribute
                  where attrelid = ('sluice.' || v_table)::regclass and attnum > 0
                    and not attisdropped);
    execute format('alter table sluice.%I detach partition sluice.%I', v_table, v_retained);
    execute format('alter table sluice.%I detach partition sluice.%I', v_table, v_name);
    execute format('insert into sluice.%I (%3$s) select %5$s from sluice.%2$I '
                   'where %4$s = any ($1)', v_retained, v_name, v_columns,
      case v_table when 'task' then 'id' else 'task_id' end, replace(v_columns, 'stored_by',
        'coalesce(stored_by, (select sluice.next_xid()) - age(xmin))')) using p_round.retained;
    execute format('alter table sluice.%I attach partition sluice.%I '
                   'for values from (minvalue) to (%s)', v_table, v_retained, p_round.end_id);
    execute format('drop table sluice.%I cascade', v_name);
  end loop;
  delete from sluice.id_range where n = p_round.n;
  return true;
exception when lock_not_available or insufficient_resources or out_of_memory
  or program_limit_exceeded or statement_too_complex then
  return false;
end
$$;

-- lock_briefly: keeps writers out of a table. Waits at most 50 ms, since submits may wait as long.
-- Returns whether it has the lock.
-- Rejected: trying again and again without waiting: eight clients that submit without a pause leave
-- no free moment (no drop in 10 rounds of 20 tries).
create or replace function sluice.lock_briefly(p_table text) returns boolean
language plpgsql volatile
set lock_timeout = '50ms'
as $$
begin
  execute format('lock table sluice.%I in share mode', p_table);
  return true;
exception when lock_not_available then
  return false;
end
$$;

-- oldest_range: the lowest range, if all its ids are given out and its last task is older than
-- p_cutoff; else null.
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
  execute format('select created_at from sluice.%I order by id desc limit 1', 'task_' || v_range.n)
    into v_last;
  return case when coalesce(v_last < p_cutoff, true) then v_range end;
end
$$;

-- tasks_to_keep: the tasks of a range that must be retained: unfinished, or finished since
-- p_cutoff. Null: too many. The answer holds while lock_class('retain') 1 and the range's tasks are
-- locked: tasks can finish, but none can come or become unfinished again. Unfinished tasks are
-- found in their places; of the results only the keys are read.
create or replace function sluice.tasks_to_keep(p_range sluice.id_range, p_cutoff timestamptz)
returns bigint[]
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set jit = off
as $$
declare
  v_max record := sluice.retention_bounds();
  v_ids bigint[];
  v_bytes bigint;
begin
  execute format('select array_agg(c.task_id) from (
      select task_id from sluice.lease where task_id >= $1 and task_id < $2
      union all select task_id from sluice.queue where task_id >= $1 and task_id < $2
      union all select task_id from sluice.later where task_id >= $1 and task_id < $2
      union all select task_id from sluice.%I where finished_at >= $3
      limit $4) c', 'result_' || p_range.n)
  into v_ids using p_range.first_id, p_range.end_id, p_cutoff, v_max.kept_tasks + 1;
  execute format('select sum(200 + coalesce(pg_column_size(t.prompt), pg_column_size(t.request))
        + coalesce(pg_column_size(t.metadata), 0) + coalesce(pg_column_size(r.answer), 0)
        + coalesce(pg_column_size(r.response), 0) + coalesce(pg_column_size(r.error), 0))
      from sluice.%I t left join sluice.%I r on r.task_id = t.id where t.id = any ($1)',
    'task_' || p_range.n, 'result_' || p_range.n)
  into v_bytes using v_ids;
  return case when coalesce(cardinality(v_ids), 0) <= v_max.kept_tasks
               and coalesce(v_bytes, 0) <= v_max.kept_bytes then coalesce(v_ids, '{}') end;
end
$$;
