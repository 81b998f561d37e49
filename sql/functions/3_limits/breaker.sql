-- The breaker of a model, shared by the fleet: while the model's backend is down nothing is claimed
-- for it, so that tasks wait instead of using up their attempts.
--   closed -> open after breaker_failures failures of the backend in a row
--   open -> half open after breaker_open: one call at a time is let through, the probe
--   half open -> closed after breaker_successes successful probes; -> open again after one that
--   failed
-- It is also half open for the first call after a change that affects calls
-- (models.calls_changed_at), and after a model was resumed that had been parked because of its
-- calls; one success is enough then. Failures are counted in an unlogged sequence, failures_<n>.
-- Nothing counts successes: one is heard of only while its model has failures or its breaker is not
-- closed (5_lifecycle/complete.sql: end_solved). The row in sluice.breaker is written only on
-- transitions and for probes. After a crash the count restarts, and the state remains.

-- backend_lives: what the outcome of a call says about the backend: true: it answers; false: it is
-- down; null: nothing. A backend that returns a client error (4xx) or a bad answer is up. A refusal
-- that may be due to the address says nothing, so the next probe asks again.
create or replace function sluice.backend_lives(p_kind text, p_http_status int) returns boolean
language sql immutable
as $$
  select case
    when p_kind = 'solved' then true
    when p_kind = 'throttled' and p_http_status in (403, 404, 405) then null
    when p_kind = 'retry' and (p_http_status is null or p_http_status >= 500
      or p_http_status = 408) then false
    when p_http_status < 500 then true
  end
$$;

-- is_open: whether calls of model p_model may begin at p_now at all: the model is neither paused
-- nor closed, and its breaker is not open. (If the clock was set back to before the breaker opened,
-- probes are let through.)
create or replace function sluice.is_open(p_model sluice.models, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  return not p_model.paused and coalesce(p_model.closed_until <= p_now, true)
    and not exists (select from sluice.breaker b where b.model = p_model.id and b.state = 'open'
                    and b.since <= p_now and b.since + p_model.breaker_open > p_now);
end
$$;

-- probes_now: how many probes the breaker of model p_model, not closed or with a change to heed,
-- lets through now: 0 or 1; null: it is closed by now. Makes an open breaker half open when its
-- time has come. Requires the model's lock. A probe ends when its lease does, however that ended,
-- so a dead worker's probe does not block the breaker. The first call after a change goes alone. A
-- closed breaker becomes half open, one success from closed; a half-open one forgets its probe,
-- which was a call with the old configuration. The new call waits until all workers have heard of
-- the change.
create or replace function sluice.probes_now(p_model sluice.models, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_breaker sluice.breaker;
begin
  select * into v_breaker from sluice.breaker b
  where b.model = p_model.id for update skip locked;
  if not found then
    return 0;  -- a completion is deciding on it now
  elsif v_breaker.heeded_change is distinct from p_model.calls_changed_at then
    perform sluice.move_breaker(p_model.id, 'closed', 'half_open',
      'its calls have changed: the first one goes alone', p_now);
    update sluice.breaker b
    set heeded_change = p_model.calls_changed_at, probe_task = null, probe_fence = null,
      probe_after = p_now + sluice.configuration_lag(),
      successes = case v_breaker.state when 'closed' then p_model.breaker_successes - 1
        else b.successes end
    where b.model = p_model.id returning * into v_breaker;
  end if;
  if v_breaker.state = 'closed' then
    return null;
  elsif v_breaker.state = 'open' and coalesce(sluice.probe_at(p_model, p_now) <= p_now, true) then
    perform sluice.move_breaker(p_model.id, 'open', 'half_open',
      'its time has come: one call at a time', p_now);
  end if;
  return coalesce(sluice.probe_at(p_model, p_now) <= p_now, true)::int;
end
$$;

-- configuration_lag: how long a worker may take to follow a change of which it was notified. (A
-- worker behind a pooler looks only once a second, so its probe may still use the old
-- configuration.)
create or replace function sluice.configuration_lag() returns interval
language sql immutable parallel safe
as $$ select interval '300 milliseconds' $$;

-- note_transition: inserts a row into sluice.breaker_event; keeps the newest 1,000 of each model.
create or replace function sluice.note_transition(
  p_model int, p_from text, p_to text, p_reason text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.breaker_event (at, model, from_state, to_state, reason)
  values (p_now, p_model, p_from, p_to, left(p_reason, 500));
  delete from sluice.breaker_event e
  where e.model = p_model and e.id <= (
    select n.id from sluice.breaker_event n where n.model = p_model
    order by n.id desc offset 1000 limit 1);
end
$$;

-- move_breaker: makes one transition if the breaker is in state p_from. If another transaction is
-- making one it waits for that, and then sees the new state.
create or replace function sluice.move_breaker(
  p_model int, p_from text, p_to text, p_reason text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  update sluice.breaker
  set state = p_to, since = p_now, reason = p_reason, successes = 0, probe_task = null,
    probe_fence = null
  where model = p_model and state = p_from;
  if not found then
    return;
  end if;
  perform sluice.note_transition(p_model, p_from, p_to, p_reason, p_now);
  if p_to = 'closed' then
    perform sluice.set_counter('failures', p_model, 0);
  end if;
  if p_to <> 'open' then
    perform sluice.notify_opened(p_model);
  end if;
end
$$;

-- is_probe: whether a call that ends now is the probe of its model's half-open breaker.
create or replace function sluice.is_probe(p_lease sluice.lease) returns boolean
language plpgsql stable
as $$
begin
  return exists (select from sluice.breaker b
                 where b.model = p_lease.model and b.state = 'half_open'
                   and (b.probe_task, b.probe_fence) = (p_lease.task_id, p_lease.fence));
end
$$;

-- probe_at: when the breaker of model p_model lets a call through: p_now or later; infinity: as
-- soon as its probe has ended; null: it is closed, or closes now. (A clock set back does not delay
-- probes.)
create or replace function sluice.probe_at(p_model sluice.models, p_now timestamptz)
returns timestamptz
language plpgsql volatile
as $$
declare
  v_breaker sluice.breaker;
begin
  select * into v_breaker from sluice.breaker b where b.model = p_model.id;
  return case
    when v_breaker.state = 'open' then case when v_breaker.since <= p_now
      then v_breaker.since + p_model.breaker_open end
    when v_breaker.state = 'half_open' then case
      when exists (select from sluice.lease l where l.task_id = v_breaker.probe_task
        and l.fence = v_breaker.probe_fence)
        then 'infinity'
      when v_breaker.probe_after > p_now
        and v_breaker.probe_after <= p_now + sluice.configuration_lag()
        then v_breaker.probe_after end end;
end
$$;

-- opens_at: when model p_model may begin a call: p_now: at once; later: with its next permit, the
-- end of a closure, or the next probe; infinity: the time is not known. A model that is full waits
-- for the end of a call, and the worker that had the call claims then.
create or replace function sluice.opens_at(p_model sluice.models, p_now timestamptz)
returns timestamptz
language plpgsql volatile
as $$
declare
  v_at timestamptz := greatest(p_now, p_model.closed_until);
begin
  if p_model.paused or v_at = 'infinity' then
    return 'infinity';
  end if;
  v_at := greatest(v_at, sluice.permit_at(p_model, p_now), sluice.probe_at(p_model, p_now));
  -- A call that was counted as ended is counted once more by who recounts before its commit. The
  -- counters alone would say "full" to a sleeper that has come too late to hear of that end, and it
  -- would sleep for long.
  return case when v_at <= p_now and p_model.max_in_flight <= sluice.in_flight(p_model.id)
      and p_model.max_in_flight <= (select coalesce(sum(l.calls), 0) from sluice.lease l
        where l.model = p_model.id)
    then 'infinity' else v_at end;
end
$$;

-- others_are_open: whether another model than p_model of route p_route may begin a call at p_now.
create or replace function sluice.others_are_open(p_route text, p_model int, p_now timestamptz)
returns boolean
language plpgsql volatile
as $$
begin
  return exists (select from sluice.routes r join sluice.models m on m.name = r.model
    where r.route = p_route and r.weight > 0 and m.id <> p_model
      and sluice.opens_at(m, p_now) <= p_now);
end
$$;
