-- How deep a queue is, how deep it should be, and how fast it moves.

-- depth: how many rows the queue of model p_model holds, counting at most p_max of them. Flat: starts at the marks.
create or replace function sluice.depth(p_model int, p_max int) returns int
language plpgsql volatile
as $$
declare
  v_depth int;
begin
  execute format('select sluice.depth_%s($1)', p_model) into v_depth using p_max;
  return v_depth;
end
$$;

-- pace: how many tasks claims took from a model since the sample in paced_<n>, and how long ago that was.
-- Returns: taken, within_s; null when there is no sample (new model, crash, clock set back).
create or replace function sluice.pace(p_model int, p_now timestamptz, out taken bigint, out within_s double precision)
language plpgsql volatile
as $$
begin
  taken := sluice.counter('claimed', p_model) - sluice.counter('paced', p_model);
  within_s := (sluice.micros(p_now) - sluice.counter('paced_at', p_model)) / 1e6;
  if taken is null or within_s is null or within_s < 0 then
    taken := null;
    within_s := null;
  end if;
  taken := case when taken < 0 then 0 else taken end;  -- counted anew since
end
$$;

-- note_pace: keeps the sample between 2.5 s and 5 s old. An older one slides forward to 2.5 s ago along its own line, so
-- that the pace stays what it was and only forgets. Two numbers, no history, no hot row. Requires the admit lock.
create or replace function sluice.note_pace(p_model int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_pace record := sluice.pace(p_model, p_now);
  v_claimed bigint := sluice.counter('claimed', p_model);
begin
  if v_pace.within_s <= 5 then
    return;
  end if;
  perform sluice.set_counter('paced', p_model,
    coalesce(v_claimed - round(v_pace.taken * 2.5 / v_pace.within_s)::bigint, v_claimed, 0));
  perform sluice.set_counter('paced_at', p_model,
    sluice.micros(p_now - case when v_pace.taken > 0 then interval '2.5 s' else interval '0' end));
end
$$;

-- queue_target: how many rows admission keeps in a queue: 10 s of work, so that policy decides late.
--   target = greatest(64, 2 * taken, 10 s * taken / greatest(1 s, within)),
-- at most 10 s of the quota (but 64) and max_queue; before anything was measured, 10 s of the quota.
-- 2 * taken: a claim must find what the last ones took, twice, also right after a rest; so a worker with 10,000 slots fills
-- them within a few flushes, each admission being up to ten times the last.
create or replace function sluice.queue_target(p_model sluice.models, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_pace record := sluice.pace(p_model.id, p_now);
begin
  return least(p_model.max_queue, case when p_model.rpm is not null then greatest(64, p_model.rpm / 6) end,
    greatest(64, case when v_pace.taken is null then p_model.rpm / 6
                 else greatest(2 * v_pace.taken, 10 * v_pace.taken / greatest(1, v_pace.within_s)) end));
end
$$;

-- is_limited: whether a full queue waits for something that a task had better not wait for: a permit, the end of a call,
-- or a worker (nothing in flight and nothing taken lately), or the end of a probe. Waiting for a free slot is no limit: all models do.
create or replace function sluice.is_limited(p_model sluice.models, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
declare
  v_in_flight bigint := sluice.in_flight(p_model.id);
begin
  return v_in_flight >= coalesce(p_model.max_in_flight, 2147483647)
    or coalesce(sluice.permits_now(p_model, p_now) <= 0, false)
    or exists (select from sluice.breaker b where b.model = p_model.id and b.state = 'half_open')
    or (v_in_flight = 0 and coalesce((sluice.pace(p_model.id, p_now)).taken, 0) = 0);
end
$$;
