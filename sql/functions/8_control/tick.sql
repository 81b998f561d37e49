-- tick: one round of everything that must happen even without a worker: expiry, recovery, waking,
-- counts, partitions, sweep, history, a step of a job, and at the end retention. For cron, or by
-- hand, in a transaction of its own; safe at any time and from several places at once (the second
-- one does nothing).
-- Returns: what it did, as counts; only mended if it replaced damaged sequences: the next call does
--          the rest.
--
-- For mended see 1_base/counters.sql.
create or replace function sluice.tick(p_now timestamptz default null) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_expired int;
  v_cancelled int;
  v_recovered int;
  v_woken int;
  v_swept int;
  v_dropped int;
  v_retention sluice.retention_round;
  v_mended int;
  v_commit text := current_setting('synchronous_commit');
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('tick'), 0) then
    return jsonb_build_object('busy', true);
  end if;
  -- Alone in its round: until the commit everybody waits for what it made anew.
  v_mended := (sluice.mend_sequences()).mended;
  if v_mended > 0 then
    return jsonb_build_object('mended', v_mended);
  end if;
  -- First, for it counts only what is committed.
  perform sluice.keep_history(p_now);
  -- Long work first, and rows of tasks before locks of models. Each step reads the clock
  -- itself, after the locks of those before it: an older time would put rows below marks.
  v_retention := sluice.begin_retention(coalesce(p_now, clock_timestamp()));
  v_expired := sluice.expire_due(coalesce(p_now, clock_timestamp()));
  v_cancelled := sluice.settle_cancellations(coalesce(p_now, clock_timestamp()));
  v_recovered := sluice.recover(null, p_now);
  v_woken := sluice.wake(p_now);
  -- A part of many models, those with a bound first: each takes three places in the shared table of
  -- locks.
  perform sluice.recount_in_flight(m.id)
  from (select r.id from (select id from sluice.models order by max_in_flight is null, random()
    limit 500) r order by r.id) m;
  perform sluice.invalidate_gauges();
  perform sluice.make_partitions(last_value) from sluice.task_id;
  perform sluice.refresh_gate(false);
  perform sluice.forget_audit(clock_timestamp()), sluice.forget_revisions(clock_timestamp());
  v_swept := greatest(0, sluice.sweep(p_now));  -- late: its locks stop whoever notifies
  v_dropped := sluice.end_retention(v_retention);
  -- Last: it may hold a line's lock until the commit.
  perform sluice.advance_jobs(p_now), set_config('synchronous_commit', v_commit, true);
  return jsonb_build_object('expired', v_expired, 'cancelled', v_cancelled, 'recovered',
    v_recovered, 'woken', v_woken, 'swept', v_swept, 'dropped', v_dropped, 'erased',
    v_retention.erased);
end
$$;
