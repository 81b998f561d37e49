-- partition_ids: how many task ids one partition of sluice.task and sluice.result holds.
create or replace function sluice.partition_ids() returns bigint
language sql immutable parallel safe
as $$ select 1000000::bigint $$;

-- make_partitions: keeps two ranges ahead of the newest id. Called by tick, and by submits whenever their ids
-- p_first..p_last pass a multiple of 50,000, so that it costs an ordinary submit one division.
-- Only CREATE TABLE (LIKE) + ATTACH: it waits for no reader (3 ms beside an open pg_dump), where PARTITION OF, DROP and
-- DETACH wait and make submits wait behind them. Whoever finds another one at it goes on.
create or replace function sluice.make_partitions(p_first bigint, p_last bigint) returns void
language plpgsql volatile
as $$
declare
  v_width bigint := sluice.partition_ids();
  v_table text;
  v_name text;
begin
  if (p_first - 1) / 50000 = p_last / 50000 then
    return;
  end if;
  if to_regclass('sluice.result_' || (p_last / v_width + 2)) is not null
     or not pg_try_advisory_xact_lock(sluice.lock_class('partitions'), 0) then
    return;
  end if;
  foreach v_table in array array['task', 'result'] loop
    for n in p_first / v_width .. p_last / v_width + 2 loop
      v_name := v_table || '_' || n;
      if to_regclass('sluice.' || v_name) is null then
        execute format('create table sluice.%I (like sluice.%I including all)', v_name, v_table);
        execute format('alter table sluice.%I attach partition sluice.%I for values from (%s) to (%s)',
                       v_table, v_name, n * v_width, (n + 1) * v_width);
      end if;
    end loop;
  end loop;
end
$$;
