-- ring: says that line p_line may have work, and wakes a worker for it if one sleeps; called by whatever makes a task
-- ready.
-- A sleeper holds the model's bell exclusively; a ringer tries to share it. Success: nobody sleeps, nothing to do
-- (and until this transaction ends nobody can fall asleep on that bell). Failure: somebody sleeps, so notify.
-- A line that was quiet notifies whether or not its bell is held: the sleeper who held it may have died in its sleep.
-- A transaction that notifies holds a cluster-wide lock through its commit. Measured, 32 clients: 28-32k/s bare,
-- 6-8k/s with NOTIFY in each, bare speed with bells.
-- 64 bells, by the line's number mod 64 (one a line would exhaust the lock table); false rings are harmless.
-- What may have work is noted in sluice.rung, so that nobody loops over 1,000 idle lines: the row is committed with the
-- task, and only quieten() takes it away. It costs a probe, 5 us; nearly always the row is there already.
-- sluice.submit does the same in statements that it runs anyway, and calls this only if somebody sleeps or nothing is noted.
-- Rejected: a sequence per line (2.5 ms to read 2,000 of them, and as many locks in the shared table; see DECISIONS.md).
-- Params:  p_line. Requires a connection that holds no bell itself.
-- Returns: whether somebody sleeps.
-- Locks:   waits for a sleeper that is quietening just now: some milliseconds, and that one waits for nothing.
create or replace function sluice.ring(p_line int) returns boolean
language plpgsql volatile
as $$
declare
  v_asleep boolean := not pg_try_advisory_xact_lock_shared(sluice.lock_class('bell'), sluice.bell_of(p_line));
  v_quiet boolean;
begin
  if v_asleep then
    perform pg_advisory_xact_lock_shared(sluice.lock_class('knock'), sluice.bell_of(p_line));
  end if;
  -- After the lock, in a snapshot of its own. An older snapshot could show what is gone.
  v_quiet := current_setting('transaction_isolation') <> 'read committed' or not exists (select from sluice.rung where line = p_line);
  if v_asleep or v_quiet then
    perform pg_notify('sluice_work', greatest(0, p_line)::text);  -- 0: any model
  end if;
  if v_quiet then
    insert into sluice.rung (line, rung_at) values (p_line, clock_timestamp());
  end if;
  return v_asleep;
end
$$;

-- bell_of: which of the 64 bells is a line's.
create or replace function sluice.bell_of(p_line int) returns int
language sql immutable parallel safe
as $$ select abs(p_line) % 64 $$;

-- ring_alarm: says that model p_model may begin a call sooner than whoever sleeps believes, and wakes that one. Its bell is
-- for tasks; while a model is shut nobody listens to it (take_bells), but a sleeper has all its models' alarms: locks 64 to
-- 127 of the same class. Called by what opens a model without a change of its row, which workers hear of anyway.
create or replace function sluice.ring_alarm(p_model int) returns void
language plpgsql volatile
as $$
begin
  if not pg_try_advisory_xact_lock_shared(sluice.lock_class('bell'), 64 + p_model % 64) then
    perform pg_notify('sluice_work', p_model::text);
  end if;
end
$$;

-- quieten: takes lines out of sluice.rung in which nothing waits; at most 64 a call. Not sooner than 10 s after they were rung: one that is
-- used now and then must not come and go there with every task.
-- Nobody may be about to commit a task for them unseen: who rang unheard shares the bell until it has committed, who found
-- somebody asleep shares the knock. With both locks exclusively (a sleeper has its bells already) all that was rung for is
-- visible to the next snapshot, and who rings later notes it anew.
-- Called by sleepers before they look, and by sweep, for a busy fleet has none. A row below its mark keeps no line here, for only
-- the sweep sees it: so each line that goes ends the sweep's rest.
create or replace function sluice.quieten(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_line int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  for v_line in
    select r.line from sluice.rung r group by r.line
    having bool_and(r.rung_at not between p_now - interval '10 seconds' and p_now) order by random() limit 64
  loop
    if pg_try_advisory_xact_lock(sluice.lock_class('bell'), sluice.bell_of(v_line))
       and pg_try_advisory_xact_lock(sluice.lock_class('knock'), sluice.bell_of(v_line)) then
      delete from sluice.rung where line = v_line and not sluice.is_waiting(array[v_line], p_now);
      perform setval('sluice.sweep_rest_id', 0), setval('sluice.sweep_after', 0)
      where found and pg_sequence_last_value('sluice.sweep_rest_id'::regclass) > 0;
    end if;
  end loop;
end
$$;
