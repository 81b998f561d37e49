-- A clock that jumps ahead by J would earn a second burst. Workers notice a jump: with each claim
-- they read this clock and compare it with their monotonic one (src/worker/server_clock.h). They
-- forfeit every permit taken since the jump until their note of it (note_clock_jump) is in force,
-- at t1.
-- Proof (names as in permits.sql): the calls that arrive were granted either before the jump, at
-- most (t0 - s)/T + b from s to t0, or after t1, when the bucket was empty: at most (e - t1)/T.
-- Together these are at most (e - s)/T + b in real time, as there.
-- A jump too small to notice, up to 50 ms and the time of a round trip, is like a delay between
-- grant and arrival: d covers both. A jump before the first claim of any living worker is not
-- noticed either.

-- note_clock_jump: a worker has noticed that the server's clock jumped ahead. All buckets are
-- emptied, and what was booked before the jump is moved along, so that it stays in its windows. One
-- note is enough for a fleet.
-- Params:  jump: by how much; sound_at: this clock when the worker last found it sound (null: not
--          known, the jump is noted).
-- Returns: now; from then on buckets fill again, if not earlier.
--
-- All workers of a fleet report the same jump (see the proof above). So this does nothing if a jump
-- that is not smaller was noted after sound_at; a greater one includes another jump since that
-- note.
-- Locks:   lock_class('clock'); rows of spent by account and time, the order of merge_spent and
--          mend_bucket.
create or replace function sluice.note_clock_jump(
  jump interval, sound_at timestamptz default null, p_now timestamptz default null)
returns timestamptz
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  -- by so much two measures of one jump may differ (src/worker/server_clock.cc)
  c_jump_min constant interval := '50 milliseconds';
  -- buckets reckon in nanoseconds, as far as 2262: a later time would stop every claim
  c_now_max constant timestamptz := '2200-01-01 00:00Z';
  v_now timestamptz;
  v_noted_at timestamptz;
  v_noted interval;
  v_budget record;
begin
  perform pg_advisory_xact_lock(sluice.lock_class('clock'), 0);
  v_now := least(coalesce(p_now, clock_timestamp()), c_now_max);
  v_noted_at := sluice.from_micros(pg_sequence_last_value('sluice.clock_jumped_at'::regclass));
  v_noted := pg_sequence_last_value('sluice.clock_jumped_by'::regclass) * interval '1 microsecond';
  if v_noted_at > note_clock_jump.sound_at and v_noted_at <= v_now
    and note_clock_jump.jump <= v_noted + c_jump_min then
    return v_now;
  end if;
  perform setval('sluice.clock_jumped_at', greatest(0, sluice.micros(v_now))),
    setval('sluice.clock_jumped_by',
      greatest(0, (extract(epoch from note_clock_jump.jump) * 1000000)::bigint));
  perform from sluice.spent s
  where s.at > v_now - note_clock_jump.jump - sluice.token_window()
    and s.at <= v_now - note_clock_jump.jump
  order by s.account, s.at for update;
  update sluice.spent s set at = least(v_now, s.at + note_clock_jump.jump)
  where s.at > v_now - note_clock_jump.jump - sluice.token_window()
    and s.at <= v_now - note_clock_jump.jump;
  -- Without lock_class('budget'), for which a claim that has merged rows of spent may wait: what is
  -- merged or settled just now keeps its time.
  for v_budget in select b.id, b.rolling from sluice.budgets b where b.rolling is not null loop
    update sluice.budget_spent s set at = least(v_now, s.at + note_clock_jump.jump)
    where s.ctid = any (array(
      select o.ctid from sluice.budget_spent o where o.budget = v_budget.id
        and o.at > v_now - note_clock_jump.jump - v_budget.rolling
        and o.at <= v_now - note_clock_jump.jump for update skip locked));
    update sluice.budget_call c set at = least(v_now, c.at + note_clock_jump.jump)
    where c.ctid = any (array(
      select o.ctid from sluice.budget_call o where o.budget = v_budget.id and o.state <> 'spent'
        and o.at > v_now - note_clock_jump.jump - v_budget.rolling
        and o.at <= v_now - note_clock_jump.jump for update skip locked));
  end loop;
  return v_now;
end
$$;
