-- Which lines may have work, and how a sleeping worker hears of it, at no cost while nobody sleeps.

-- notify_ready: notes that line p_line may have work, and wakes a worker for it if one sleeps.
-- Called by everything that makes a task ready.
-- A sleeper holds the line's sleeper lock exclusively; notify_ready tries to share it. If it gets
-- the lock, nobody sleeps and nothing is to be done (and until this transaction ends nobody can
-- fall asleep with that lock). If not, somebody sleeps, so it notifies. For a line that was idle it
-- always notifies, because the sleeper may have died.
-- It does not notify always, because a transaction that notifies holds a cluster-wide lock through
-- its commit. There are 64 locks, by the line's number mod 64 (one for each line would exhaust the
-- lock table); being woken in vain is harmless.
-- The note is a row of sluice.ready_line (D-031): nobody need loop over 1,000 idle lines. The row
-- commits with the task, and only forget_idle_lines() removes it. Looking for it costs an index
-- probe, 5 us; nearly always it is there already. sluice.submit does the same in statements that it
-- runs anyway, and calls this function only if somebody sleeps or the row is missing.
-- Params:  p_line. Requires a connection that holds no sleeper lock itself.
-- Returns: whether somebody sleeps.
-- Locks:   waits for none. While somebody is removing the line's row it inserts another one, which
--          is removed only after a look that sees this transaction's task.
-- twin: notify_ready (change all alike)
create or replace function sluice.notify_ready(p_line int) returns boolean
language plpgsql volatile
as $$
declare
  v_asleep boolean := not pg_try_advisory_xact_lock_shared(sluice.lock_class('sleeper'),
    sluice.sleeper_lock_of(p_line));
  v_must_note boolean := v_asleep
    and not pg_try_advisory_xact_lock_shared(sluice.lock_class('notifier'),
      sluice.sleeper_lock_of(p_line));
begin
  -- After the locks, in a snapshot of its own. An older snapshot could show what is gone.
  v_must_note := v_must_note or case
    when current_setting('transaction_isolation') <> 'read committed'
      then not sluice.has_noted(p_line)
    else not exists (select from sluice.ready_line where line = p_line) end;
  if v_asleep or v_must_note then
    perform sluice.notify('sluice_work', greatest(0, p_line)::text);  -- 0: any model
  end if;
  if v_must_note then
    insert into sluice.ready_line (line, noted_at) values (p_line, clock_timestamp());
    perform set_config('sluice.noted_' || sluice.line_name(p_line),
      sluice.micros(clock_timestamp())::text, false);
  end if;
  return v_asleep;
end
$$;

-- has_noted: whether this session has noted p_line in the last 5 s. For transactions above READ
-- COMMITTED: they keep their snapshot, so they cannot look whether the note is there. It is: a note
-- stays for 10 s, and as long as a transaction shares one of the line's locks. The session keeps
-- that in a setting, which a rollback takes back together with the note. Otherwise each single
-- submit added a note, and 300,000 of them made each claim 0.2 s slower (D-413). A client that
-- forges the setting delays its own tasks. One that clears it gains nothing: the note that this
-- transaction has added, perhaps under a savepoint, is found by its transaction id.
create or replace function sluice.has_noted(p_line int) returns boolean
language plpgsql volatile
as $$
declare
  v_noted text := current_setting('sluice.noted_' || sluice.line_name(p_line), true);
begin
  return coalesce(v_noted ~ '^[0-9]{1,18}$'
      and sluice.micros(clock_timestamp()) - v_noted::bigint between 0 and 5000000, false)
    or exists (select from sluice.ready_line r where r.line = p_line and r.noted_at >= now()
      and age(r.xmin) <= age(pg_current_xact_id()::xid));
end
$$;

-- sleeper_lock_of: the number of a line's sleeper lock, one of 64.
create or replace function sluice.sleeper_lock_of(p_line int) returns int
language sql immutable parallel safe
as $$ select abs(p_line) % 64 $$;

-- notify_opened: wakes the sleeper of model p_model, because the model may begin a call sooner than
-- the sleeper expects. While a model is blocked nobody holds its sleeper lock, which is about tasks
-- (take_sleeper_locks). But a sleeper always holds the opening locks of all its models: numbers 64
-- to 127 of the same class. Called by what opens a model without changing its row; workers hear of
-- changed rows anyway.
create or replace function sluice.notify_opened(p_model int) returns void
language plpgsql volatile
as $$
begin
  if not pg_try_advisory_xact_lock_shared(sluice.lock_class('sleeper'), 64 + p_model % 64) then
    perform sluice.notify('sluice_work', p_model::text);
  end if;
end
$$;

-- forget_idle_lines: removes lines in which nothing waits from sluice.ready_line; at most 64 a
-- call, and none within 10 s after it was noted, so that the row of a line in occasional use does
-- not come and go with every task.
-- No session may be about to commit a task whose line was removed. A session that found nobody
-- asleep shares the sleeper lock until it commits; one that found somebody asleep shares the
-- notifier lock, or notes the line with its own transaction. This function takes both locks
-- exclusively (a sleeper has its own already), so the next snapshot sees all tasks that rely on the
-- existing rows. It looks first, and takes no locks for lines that are not empty.
-- Called by sleepers before they look, and by the sweep, because a busy fleet has no sleepers. A
-- row below its mark does not keep its line in the list, because only the sweep sees it; each line
-- removed therefore ends the sweep's rest.
create or replace function sluice.forget_idle_lines(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_line int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  -- Of several notes the newest is enough: whoever relies on an older one keeps that from going,
  -- too, by the lock that he shares.
  -- By one pass: a client above READ COMMITTED can note a line with each submit, and a join of
  -- 18,000 notes of one line took 14 s.
  delete from sluice.ready_line o where o.ctid = any (array(
    select n.at from (
      select r.ctid as at, r.noted_at,
        row_number() over (partition by r.line order by r.noted_at desc, r.ctid desc) as place
      from sluice.ready_line r) n
    where n.place > 1 and n.noted_at < p_now - interval '10 seconds'));
  for v_line in
    select r.line from sluice.ready_line r group by r.line
    having bool_and(r.noted_at not between p_now - interval '10 seconds' and p_now)
      order by random() limit 64
  loop
    continue when sluice.is_waiting(v_line, p_now);
    if pg_try_advisory_xact_lock(sluice.lock_class('sleeper'), sluice.sleeper_lock_of(v_line))
       and pg_try_advisory_xact_lock(sluice.lock_class('notifier'),
         sluice.sleeper_lock_of(v_line)) then
      delete from sluice.ready_line where line = v_line
        -- asked once, in a snapshot that is not older than that of the rows
        and (select not sluice.is_waiting(v_line, p_now));
      perform setval('sluice.sweep_rest_id', 0), setval('sluice.sweep_after', 0)
      where found and pg_sequence_last_value('sluice.sweep_rest_id'::regclass) > 0;
    end if;
  end loop;
end
$$;
