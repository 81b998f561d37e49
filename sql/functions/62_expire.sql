-- expire_due: ends waiting tasks whose deadline has passed, wherever they wait: also those of a paused or closed model, of a
-- queue that nobody serves, or with a later run_at. (A claim ends those that it meets: none is ever claimed late.)
-- Stage:   62. Called by sweep, hence about once a second in the fleet, and by tick.
-- Returns: how many; at most 1,000 a call, in the backlog and in the next 20 queues (65 us each, idle or not): 1,000 models
--          have their turn within 50 s.
-- Locks:   passes over rows that somebody has, and waits for none.
create or replace function sluice.expire_due(p_now timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_limit constant int := 1000;
  v_queues constant int := 20;
  v_from int := coalesce(pg_sequence_last_value('sluice.expired_model'::regclass), 0);
  v_models int[];
  v_place text;
  v_ids bigint[];
  v_expired int := 0;
begin
  select array_agg(m.id) into v_models
  from (select id from sluice.models order by id <= v_from, id limit v_queues) m;
  foreach v_place in array array['backlog'] || array(select 'queue_' || m from unnest(v_models) m) loop
    execute format('select array_agg(d.task_id) from (
        select task_id from sluice.%I where deadline <= $1 order by deadline limit $2 for update skip locked) d', v_place)
    into v_ids using p_now, v_limit - v_expired;
    if v_ids is not null then
      v_expired := v_expired + sluice.end_waiting(v_place, v_ids, 'expired', 'deadline',
        'the deadline passed before a worker could start it', p_now);
    end if;
  end loop;
  perform setval('sluice.expired_model', v_models[cardinality(v_models)]);
  return v_expired;
end
$$;
