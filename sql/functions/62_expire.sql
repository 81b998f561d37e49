-- expire_due: ends waiting tasks whose deadline has passed, wherever they wait: also those of a paused or closed model, of a
-- queue that nobody serves, or with a later run_at. (A claim ends those that it meets: none is ever claimed late.)
-- Stage:   62. Called by sweep, hence about once a second in the fleet, and by tick.
-- Returns: how many; at most 1,000 a call, aside and in the next 20 lines (65 us each, idle or not): 1,000 lines
--          have their turn within 50 s.
-- Locks:   passes over rows that somebody has, and waits for none.
-- Under a held snapshot it walks the entries of tasks that are gone, like the sweep: hence at the sweep's pace.
create or replace function sluice.expire_due(p_now timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_limit constant int := 1000;
  v_queues constant int := 20;
  -- A route's line is below 0, which the sequence is not.
  v_from int := coalesce(pg_sequence_last_value('sluice.expired_model'::regclass) - 1000000000, -1000000000);
  v_lines int[];
  v_place text;
  v_ids bigint[];
  v_expired int := 0;
begin
  select array_agg(m.l) into v_lines
  from (select l from unnest(sluice.all_lines()) l order by l <= v_from, l limit v_queues) m;
  foreach v_place in array array['later'] || array(select 'queue_' || sluice.line_name(l) from unnest(v_lines) l) loop
    execute format('select array_agg(d.task_id) from (
        select task_id from sluice.%I where deadline <= $1 order by deadline limit $2 for update skip locked) d', v_place)
    into v_ids using p_now, v_limit - v_expired;
    if v_ids is not null then
      v_expired := v_expired + sluice.end_waiting(v_place, v_ids, 'expired', p_now);
    end if;
  end loop;
  perform setval('sluice.expired_model', v_lines[cardinality(v_lines)] + 1000000000);
  return v_expired;
end
$$;
