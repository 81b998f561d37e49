-- sweep: finds tasks that became visible late, because they were submitted inside a long
-- transaction; ends tasks past their deadline, and tasks that were cancelled while they moved;
-- looks at budgets and full tenants. Call it once a second; one at a time in the fleet does
-- something.
-- Returns: the number of lanes lowered; 0 also when it is not due, and -1 when it will not be
--          within 5 s unless a task comes.
--
-- What may take long rests for a multiple of its time, so that it has a bounded part of a core, and
-- the others come at their time nevertheless. While nothing waits and nothing is submitted the
-- whole sweep rests (is_idle); else an idle system with many lanes would use up 2 % of a core.
create or replace function sluice.sweep(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_back_min constant interval := '1 second';  -- nothing is dated so exactly
  v_now timestamptz := sluice.now_for(p_now);
  v_last timestamptz := (sluice.meter_of(0, 0)).at;
  v_due timestamptz :=
    sluice.from_micros(coalesce(pg_sequence_last_value('sluice.sweep_after'::regclass), 0));
  v_newest bigint := coalesce(pg_sequence_last_value('sluice.task_id'::regclass), 0);
  v_rest_id bigint := coalesce(pg_sequence_last_value('sluice.sweep_rest_id'::regclass), 0);
  v_is_idle boolean;
  v_expired int;
  v_lowered int;
begin
  -- The last one was later than now: the clock was set back. A rest ends when a task comes, or a
  -- line may have work.
  if v_now < v_due and coalesce(v_last <= v_now, true)
     and (v_rest_id = 0 or v_rest_id = v_newest + 1 and not exists (select from sluice.ready_line))
       then
    return case when v_rest_id > 0 and v_due > v_now + interval '5 seconds' then -1 else 0 end;
  elsif not pg_try_advisory_xact_lock(sluice.lock_class('sweep'), 0) then
    return 0;
  end if;
  v_now := sluice.now_for(p_now);  -- behind the last one, unless the clock was set back
  v_is_idle := sluice.is_idle();  -- before the walk: what comes during it is not seen by all of it
  -- Rows of tasks before locks of models. At most a fiftieth of the time: it waits for rows of open
  -- transactions.
  perform sluice.in_turn('settle_cancellations', 50, v_now);
  -- At most a tenth: while somebody holds a snapshot it walks over the index entries of tasks that
  -- are gone.
  v_expired := sluice.in_turn('expire_due', 10, v_now);
  perform sluice.look_at_tenants(v_now) where not sluice.are_many_unfinished();
  perform sluice.follow_clock_back(v_last - v_now, v_now) where v_last > v_now + c_back_min;
  perform sluice.leave_broken(v_now)
  where exists (select from sluice.fallbacks f where f.cause = 'breaker_open');
  perform sluice.in_turn('forget_later_gone', 50, v_now),
    sluice.in_turn('look_for_deadlines', 50, v_now);
  perform sluice.note_server()
  where exists (select from sluice.gate g where g.server_started <> pg_postmaster_start_time());
  -- Locks that claims want, of lines, budgets and models, are had from here to the commit.
  v_now := sluice.now_for(p_now);  -- marks that claims have made meanwhile are not ahead of it
  v_lowered := sluice.walk_in_time(v_now);
  perform sluice.clean_budgets(v_now), sluice.look_at_budgets(v_now)
  where exists (select from sluice.budgets) or exists (select from sluice.budget_wait);
  perform sluice.in_turn('advance_lines', 10, v_now);
  v_is_idle := v_is_idle and coalesce(v_expired = 0 and v_lowered = 0, false);
  perform sluice.note_meter(0, 0, v_now, 0, 0),
    setval('sluice.sweep_rest_id', case when v_is_idle then v_newest + 1 else 0 end),
    setval('sluice.sweep_after', sluice.micros(case when v_is_idle then least(
        v_now + interval '1 minute', (select min(l.deadline) from sluice.later l
          where l.deadline between v_now and v_now + interval '1 minute'))
      else v_now + interval '1 second' end));
  -- last: until the commit notify_ready notes anew the lines that it forgot
  perform sluice.forget_idle_lines(v_now);
  return coalesce(v_lowered, 0);
end
$$;

-- walk_in_time: finds rows that became visible below their lane's mark, because they were committed
-- later than the marks' lag, and lowers the mark to them; it walks the rows that marks let others
-- skip. It notifies for the rows it found: their own notifications came before they were visible.
-- While a line or all of them rest from that, it walks those of the last seconds: one tenant's
-- 200,000 tasks beside a transaction that it left open made what others committed a second after
-- the submit wait for 20 s. Each kind takes at most a fiftieth of the time.
-- Returns: the number of lanes lowered; null: none, and not all was walked.
create or replace function sluice.walk_in_time(p_now timestamptz) returns int
language plpgsql volatile
as $$
begin
  return coalesce(sluice.in_turn('walk_lines', 50, p_now),
    nullif(sluice.in_turn('walk_late', 50, p_now), 0));
end
$$;

-- walk_lines: walks each line that has marks and does not rest, and removes what is old.
create or replace function sluice.walk_lines(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_line int;
  v_lowered int := 0;
begin
  for v_line in select distinct m.line from sluice.mark m order by m.line loop
    v_lowered := v_lowered + coalesce(sluice.in_turn('rescan_line', 200, p_now, v_line),
      sluice.rescan_late(v_line, p_now));
  end loop;
  perform sluice.clean_spent(p_now), sluice.clean_hints();
  return v_lowered;
end
$$;

-- walk_late: walks the rows of the last seconds of each line.
create or replace function sluice.walk_late(p_now timestamptz) returns int
language plpgsql volatile
as $$
begin
  return (select sum(sluice.rescan_late(l.line, p_now))
    from (select distinct m.line from sluice.mark m order by m.line) l);
end
$$;

-- rescan_late: rescan_line for what was submitted in the last 5 s: mostly a transaction commits
-- within that.
create or replace function sluice.rescan_late(p_line int, p_now timestamptz) returns int
language plpgsql volatile
as $$
begin
  return sluice.rescan_line(p_line, p_now, p_now - interval '5 s');
end
$$;

-- look_for_deadlines: corrects the hints of lines that may have work.
create or replace function sluice.look_for_deadlines(p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  perform sluice.in_turn('rescan_deadlines', 200, p_now, r.line)
  from (select distinct r.line from sluice.ready_line r order by r.line) r;
end
$$;

-- is_idle: whether no other sweep is needed before a task comes: no model may have work, no call is
-- under way or to be aborted, no task waits for a budget of a time that rolls, which has more room
-- at any moment, and no transaction is open that could still commit a row below a mark. The
-- cheapest condition is first: in a busy system it decides.
create or replace function sluice.is_idle() returns boolean
language plpgsql volatile
as $$
begin
  return not exists (select from sluice.ready_line)
    and not exists (select from pg_snapshot_xip(pg_current_snapshot()) x
      where x is distinct from pg_current_xact_id_if_assigned())
    and not exists (select from sluice.cancellation)
    and not exists (select from sluice.lease)
    and not sluice.waits_for_time();
end
$$;
