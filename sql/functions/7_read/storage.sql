-- Figures of the tables themselves, for `sluice doctor`.

-- range_facts: how far the partitions of task and result reach. Reads one row a range, and the
-- catalog.
-- Returns: newest_id: the newest id that was given out, 0: none; end_id: where the last range ends;
--          missing: names of partitions that a range should have, and that are not there or not
--          attached; null: none is missing.
create or replace function sluice.range_facts(out newest_id bigint, out end_id bigint,
  out ranges int, out ranges_max int, out missing text)
language sql stable security definer
set search_path = sluice, pg_temp
as $$
  select coalesce(pg_sequence_last_value('sluice.task_id'), 0), coalesce(max(r.end_id), 0),
    count(distinct r.n)::int, sluice.id_ranges_max(),
    string_agg(t.name || '_' || r.n, ', ' order by r.n, t.name)
      filter (where i.inhparent is distinct from ('sluice.' || t.name)::regclass)
  from sluice.id_range r cross join (values ('task'), ('result')) t(name)
  left join pg_inherits i on i.inhrelid = to_regclass('sluice.' || t.name || '_' || r.n)
$$;
