-- Ends waiting tasks that are past their deadlines: those that no claim meets.

-- late_in_turns: where the tasks of a line are that are past their deadlines: the first of each
-- tenant, then the second of each: of each of its lanes the first ones; at most p_max.
-- Params:  p_line: of what waits for its time each tenant's is one lane; p_looks: at so many tasks
--          it looks, as many of each lane, from the first on; at half as many lanes.
-- Turns of lanes gave a tenant of 201 priorities 201 of 202.
-- twin: tenant_key (change all alike)
create or replace function sluice.late_in_turns(
  p_line int, p_max int, p_looks int, p_now timestamptz)
returns tid[]
language plpgsql volatile
as $$
declare
  v_heads sluice.head[] := case when p_line <> 0
    then sluice.lane_heads(p_line, p_looks / 2, p_now => p_now)
    else array(select row(0, null, t, '-infinity', 0, null, null)::sluice.head
      from unnest(sluice.later_tenants(p_looks / 2)) t) end;
  v_places tid[];
begin
  execute format($sql$
    select array(
      select r.at from unnest($1) h
      cross join lateral unnest(array(
        select f.at from (
          select q.ctid as at, q.deadline from sluice.%1$I q
          where %2$s ((hashtextextended(q.tenant, 0) >> 1), q.ready_at) >= (h.tenant, h.ready_at)
            and ((hashtextextended(q.tenant, 0) >> 1), q.ready_at) <= (h.tenant, 'infinity')
          order by hashtextextended(q.tenant, 0) >> 1, q.ready_at
          limit $4 / greatest(1, cardinality($1))) f
        where f.deadline <= $2)) with ordinality r(at, turn)
      order by row_number() over (partition by h.tenant order by r.turn, random()), random()
      limit $3)
    $sql$, sluice.place_of(p_line), case when p_line <> 0 then 'q.rank = h.rank and' end)
  into v_places using v_heads, p_now, p_max, p_looks;
  return v_places;
end
$$;

-- lock_late: locks the late tasks at p_places of a line, the first places first, but for locked
-- ones; at most p_max.
-- Returns: their ids; null: none. What has come into the place of one that is gone is late, too, or
--          stays.
-- Without index scans: where the planner believes that the line is empty, one walks over all of it
-- instead of going to the places.
create or replace function sluice.lock_late(
  p_line int, p_places tid[], p_max int, p_now timestamptz) returns bigint[]
language plpgsql volatile
set enable_indexscan = off set enable_indexonlyscan = off set enable_bitmapscan = off
set enable_seqscan = off
as $$
declare
  v_ids bigint[];
begin
  execute format('select array_agg(l.task_id) from (
      select q.task_id from unnest($1) with ordinality i(at, place)
      join sluice.%I q on q.ctid = i.at
      where q.deadline <= $2 order by i.place limit $3 for update of q skip locked) l',
    sluice.place_of(p_line))
  into v_ids using p_places, p_now, p_max;
  return v_ids;
end
$$;

-- expire_due: ends waiting tasks whose deadline has passed, wherever they wait: also those of a
-- paused or closed model, of a queue that nobody serves, or with a later run_at. (A claim ends
-- those that it meets, so no task is claimed after its deadline.)
-- Called by sweep, hence about once a second in the fleet, and by tick.
-- Returns: how many, at most 1,000 a call: from later, and from the next 200 lines (65 us each,
--          idle or not), so that 1,000 lines have their turn within five calls. The lines share
--          half of it, so one with thousands does not hold up another's few. Those with more than
--          their share have the rest, by turns of their tenants; what these leave, in order.
-- Locks:   skips rows that are locked, and waits for none. It looks at twice as many as it takes,
--          not at all that somebody cancels in an open transaction.
create or replace function sluice.expire_due(p_now timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_bitmapscan = off
as $$
declare
  v_limit constant int := 1000;
  v_queues constant int := 200;
  -- A route's line is below 0, which the sequence is not.
  v_from int := coalesce(pg_sequence_last_value('sluice.expired_model'::regclass) - 1000000000,
    -1000000000);
  v_next int[] := array(select l from unnest(sluice.all_lines()) l order by l <= v_from, l
    limit v_queues);
  v_lines int[] := 0 || v_next;
  v_full int[];
  v_line int;
  v_share int;
  v_places tid[];
  v_ids bigint[];
  v_expired int := 0;
begin
  for v_round in 1 .. 3 loop
    v_share := case v_round when 1 then v_limit / 2 else v_limit - v_expired end
      / cardinality(v_lines);
    v_full := '{}';
    foreach v_line in array v_lines loop
      if v_round = 2 then
        v_places := sluice.late_in_turns(v_line, v_share, 20000 / cardinality(v_lines), p_now);
      else
        execute format('select array(
          select ctid from sluice.%I where deadline <= $1 order by deadline limit $2)',
          sluice.place_of(v_line)) into v_places using p_now, 2 * v_share;
      end if;
      v_full := case when v_round = 2 or cardinality(v_places) > v_share then v_full || v_line
        else v_full end;
      v_ids := case when v_places <> '{}'
        then sluice.lock_late(v_line, v_places, v_share, p_now) end;
      if v_ids is not null then
        v_expired := v_expired
          + sluice.end_waiting(sluice.place_of(v_line), v_ids, 'expired', p_now);
      end if;
    end loop;
    v_lines := v_full;
    exit when v_lines = '{}';
  end loop;
  perform setval('sluice.expired_model', v_next[cardinality(v_next)] + 1000000000);
  return v_expired;
end
$$;
