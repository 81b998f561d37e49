-- Deletion row by row of what cannot be dropped with its range.

-- retention_bounds: the bounds of one round.
-- Returns: kept_tasks, kept_bytes: how much of one range may be retained. It is copied while
--          submits wait, for less than a second. A range with more stays for now. erased_tasks: how
--          many overdue tasks are deleted row by row; looked_keys: how many results' keys are
--          looked at for that. Each takes less than half a second.
create or replace function sluice.retention_bounds(
  out kept_tasks int, out kept_bytes bigint, out erased_tasks int, out looked_keys int)
language sql immutable parallel safe
as $$ select 10000, 67108864::bigint, 5000, 1000000 $$;

-- retention_start: what ended before that is too old: settings.retention ago, or the begin of the
-- oldest open batch, whose answers are still to be put out. A window is no longer than the
-- retention was when its batch began, so that matters only where it has become shorter.
create or replace function sluice.retention_start(p_now timestamptz) returns timestamptz
language plpgsql stable
set enable_seqscan = off
as $$
begin
  return least(p_now - (select retention from sluice.settings), (
    select min(b.created_at) from sluice.batch b
    where b.phase <> 'done' and b.expires_at > p_now - sluice.retention_slack()));
end
$$;

-- erase_overdue: deletes finished tasks older than p_cutoff from ranges that should have been
-- dropped: their first task was submitted three quarters of the slack before p_cutoff. Goes through
-- such a range in the order of ids; the next round goes on where this one ended, so that it does
-- not walk over deleted rows; after the last range it begins again with the first.
-- Returns: how many; from one range, within retention_bounds.
create or replace function sluice.erase_overdue(p_cutoff timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set jit = off
as $$
declare
  v_max record := sluice.retention_bounds();
  v_from bigint := coalesce(pg_sequence_last_value('sluice.erase_from'::regclass), 0);
  v_overdue timestamptz := p_cutoff - sluice.retention_slack() * 3 / 4;
  v_range sluice.id_range;
  v_ids bigint[];
  v_last bigint;   -- of those looked at; null: that was the rest of the range
  v_erased int;
begin
  select * into v_range from sluice.id_range r
  where r.end_id > v_from and sluice.first_submit_in(r.n) < v_overdue order by r.first_id limit 1;
  if v_range.n is null then
    if v_from > 0 then
      perform setval('sluice.erase_from', 0);
    end if;
    return 0;
  end if;
  execute format('select array(select l.task_id from (
      select task_id, finished_at from sluice.%I where task_id >= $1 order by task_id limit $3) l
      where l.finished_at < $2 limit $4)', 'result_' || v_range.n)
  into v_ids using v_from, p_cutoff, v_max.looked_keys, v_max.erased_tasks;
  if cardinality(v_ids) = v_max.erased_tasks then
    v_last := v_ids[cardinality(v_ids)];
  else
    execute format('select task_id from sluice.%I where task_id >= $1 '
                   'order by task_id offset $2 limit 1', 'result_' || v_range.n)
    into v_last using v_from, v_max.looked_keys - 1;
  end if;
  v_erased := sluice.erase_tasks(v_range.n::text, v_ids, p_cutoff);
  perform setval('sluice.erase_from', coalesce(v_last + 1, v_range.end_id));
  return v_erased;
end
$$;

-- erase_tasks: deletes those of tasks p_ids in one pair of partitions that finished before
-- p_cutoff, with their attempts, idempotency keys and cancellations. Skips tasks that are being
-- redriven or forgotten.
-- Params:  p_part: retained, or a range's number.
-- Returns: how many.
create or replace function sluice.erase_tasks(p_part text, p_ids bigint[], p_cutoff timestamptz)
returns int
language plpgsql volatile
as $$
declare
  v_ids bigint[];
begin
  execute format($sql$
    with old as materialized (
      select task_id from sluice.%1$I where task_id = any ($1) and finished_at < $2 order by task_id
        for update skip locked),
    gone as (delete from sluice.%1$I r using old where r.task_id = old.task_id returning r.task_id)
    select array_agg(task_id) from gone
    $sql$, 'result_' || p_part) into v_ids using p_ids, p_cutoff;
  execute format('delete from sluice.%I where id = any ($1)', 'task_' || p_part) using v_ids;
  delete from sluice.attempt where task_id = any (v_ids);
  delete from sluice.idempotency where task_id = any (v_ids);
  delete from sluice.cancellation where task_id = any (v_ids);
  return coalesce(cardinality(v_ids), 0);
end
$$;

-- erase_leftovers: deletes attempts, idempotency keys and cancellations of tasks that no longer
-- exist; at most 10,000 rows of each. Skips rows that an open transaction has deleted, as keep_key
-- does. Looks only below the lowest range, where no task comes back. Returns how many.
create or replace function sluice.erase_leftovers() returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_lowest bigint := (select min(first_id) from sluice.id_range);
  v_table text;
  v_some int;
  v_erased int := 0;
begin
  foreach v_table in array array['attempt', 'idempotency', 'cancellation'] loop
    execute format('delete from sluice.%1$I where ctid = any (array(
        select l.ctid from sluice.%1$I l
        where l.task_id < $1
          and not exists (select from sluice.task_retained t where t.id = l.task_id)
        order by l.task_id limit 10000 for update of l skip locked))', v_table) using v_lowest;
    get diagnostics v_some = row_count;
    v_erased := v_erased + v_some;
  end loop;
  return v_erased;
end
$$;
