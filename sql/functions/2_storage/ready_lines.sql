-- Which lines may have work, and how a worker that sleeps hears of it; nobody else pays for that.

-- notify_ready: says that line p_line may have work, and wakes a worker for it if one sleeps;
-- called by whatever makes a task ready. A sleeper holds the line's sleeper lock exclusively; here
-- we try to share it. Success: nobody sleeps, nothing to do (and until this transaction ends nobody
-- can fall asleep with that lock). Failure: somebody sleeps, so notify. A line that was idle
-- notifies whether or not its lock is held: the sleeper who held it may have died in its sleep. A
-- transaction that notifies holds a cluster-wide lock through its commit. Measured, 32 clients:
-- 28-32k/s bare, 6-8k/s with NOTIFY in each, bare speed with sleeper locks. There are 64 locks, by
-- the line's number mod 64 (one a line would exhaust the lock table); to be woken for nothing is
-- harmless. What may have work is noted in sluice.ready_line, so that nobody loops over 1,000 idle
-- lines: the row is committed with the task, and only forget_idle_lines() takes it away. It costs a
-- probe, 5 us; nearly always the row is there already. sluice.submit does the same in statements
-- that it runs anyway, and calls this only if somebody sleeps or nothing is noted.
-- Rejected: a sequence per line (2.5 ms to read 2,000 of them, and as many locks in the shared
-- table; D-031).
-- Params:  p_line. Requires a connection that holds no sleeper lock itself.
-- Returns: whether somebody sleeps.
-- Locks:   waits for none. While somebody is removing the line's note, the line is noted anew, with
--          this transaction: that note goes only after a look that sees its task.
-- twin: notify_ready
create or replace function sluice.notify_ready(p_line int) returns boolean
language plpgsql volatile
as $$
declare
  v_asleep boolean := not pg_try_advisory_xact_lock_shared(sluice.lock_class('sleeper'),
    sluice.sleeper_lock_of(p_line));
  v_is_idle boolean := v_asleep
    and not pg_try_advisory_xact_lock_shared(sluice.lock_class('notifier'),
      sluice.sleeper_lock_of(p_line));
begin
  -- After the locks, in a snapshot of its own. An older snapshot could show what is gone.
  v_is_idle := v_is_idle or current_setting('transaction_isolation') <> 'read committed'
    or not exists (select from sluice.ready_line where line = p_line);
  if v_asleep or v_is_idle then
    perform sluice.notify('sluice_work', greatest(0, p_line)::text);  -- 0: any model
  end if;
  if v_is_idle then
    insert into sluice.ready_line (line, noted_at) values (p_line, clock_timestamp());
  end if;
  return v_asleep;
end
$$;

-- sleeper_lock_of: which of the 64 sleeper locks is a line's.
create or replace function sluice.sleeper_lock_of(p_line int) returns int
language sql immutable parallel safe
as $$ select abs(p_line) % 64 $$;

-- notify_opened: says that model p_model may begin a call sooner than whoever sleeps believes, and
-- wakes that one. The sleeper lock is for tasks; while a model is blocked nobody holds it
-- (take_sleeper_locks). But a sleeper always holds the opening locks of all its models: 64 to 127
-- of the same class. Called by what opens a model without changing its row: of that workers
-- hear anyway.
create or replace function sluice.notify_opened(p_model int) returns void
language plpgsql volatile
as $$
begin
  if not pg_try_advisory_xact_lock_shared(sluice.lock_class('sleeper'), 64 + p_model % 64) then
    perform sluice.notify('sluice_work', p_model::text);
  end if;
end
$$;

-- forget_idle_lines: takes lines out of sluice.ready_line in which nothing waits; at most 64 a
-- call. Not sooner than 10 s after they were noted: one that is used now and then must not come and
-- go there with every task. Nobody may be about to commit a task for them unseen. Whoever found
-- nobody asleep shares the sleeper lock until it has committed; whoever found somebody asleep
-- shares the notifier lock, or notes the line with its own transaction. With both locks exclusively
-- (a sleeper has its own already) all that relies on the notes there are is visible to the next
-- snapshot. It looks first: what is not empty needs no locks. Called by sleepers before they look,
-- and by sweep, for a busy fleet has none. A row below its mark keeps no line here, for only the
-- sweep sees it: so each line that goes ends the sweep's rest.
create or replace function sluice.forget_idle_lines(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_line int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  for v_line in
    select r.line from sluice.ready_line r group by r.line
    having bool_and(r.noted_at not between p_now - interval '10 seconds' and p_now)
      order by random() limit 64
  loop
    continue when sluice.is_waiting(array[v_line], p_now);
    if pg_try_advisory_xact_lock(sluice.lock_class('sleeper'), sluice.sleeper_lock_of(v_line))
       and pg_try_advisory_xact_lock(sluice.lock_class('notifier'),
         sluice.sleeper_lock_of(v_line)) then
      delete from sluice.ready_line where line = v_line
        and not sluice.is_waiting(array[v_line], p_now);
      perform setval('sluice.sweep_rest_id', 0), setval('sluice.sweep_after', 0)
      where found and pg_sequence_last_value('sluice.sweep_rest_id'::regclass) > 0;
    end if;
  end loop;
end
$$;
