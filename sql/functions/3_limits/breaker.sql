-- The breaker of a model, shared by the fleet: while its backend is down nothing is claimed for it,
-- so that tasks wait instead of burning their attempts.
--   closed -> open after breaker_failures failures of the backend in a row; -> half open after
--   breaker_open: one call at a time, the probe; -> closed after breaker_successes probes that
--   succeeded, -> open again after one that did not.
-- It is half open, too, for the first call after a change of what calls look like
-- (models.calls_changed_at), or after a model was opened that its calls had parked: one that
-- succeeds is enough then. The count of failures is an unlogged sequence, failures_<n>; the row in
-- sluice.breaker is written on transitions and for probes only. After a crash the count restarts
-- and the state stands.

-- backend_lives: what a call's outcome says about its backend: true: it answers; false: it is down;
-- null: nothing. An error of the caller (4xx) and a bad answer come from a backend that lives. A
-- refusal that may be about the address says nothing: the next probe asks again.
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

-- is_open: whether calls of model p_model may begin at all at p_now: it is neither paused nor
-- closed, and its breaker is not open. (A clock set back to before the breaker opened lets probes
-- through.)
create or replace function sluice.is_open(p_model sluice.models, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  return not p_model.paused and coalesce(p_model.closed_until <= p_now, true)
    and not exists (select from sluice.breaker b where b.model = p_model.id and b.state = 'open'
                    and b.since <= p_now and b.since + p_model.breaker_open > p_now);
end
$$;

-- probes_now: how many probes the breaker of model p_model lets through now: 0 or 1; null: it is
-- closed. Turns an open breaker half open when its time has come. Requires the model's lock. A
-- probe ends with its lease, whoever ended that: a dead prober holds no slot.
create or replace function sluice.probes_now(p_model sluice.models, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_breaker sluice.breaker;
begin
  if not exists (select from sluice.breaker b where b.model = p_model.id
                 and (b.state <> 'closed'
                   or b.heeded_change is distinct from p_model.calls_changed_at)) then
    return null;
  end if;
  select * into v_breaker from sluice.breaker b
  where b.model = p_model.id for update skip locked;
  if not found then
    return 0;  -- a completion is deciding on it now
  elsif v_breaker.heeded_change is distinct from p_model.calls_changed_at then
    v_breaker := sluice.follow_change(p_model, v_breaker, p_now);
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

-- configuration_lag: how long a worker that is notified of a change may take to follow it. (One
-- behind a pooler looks once a second: its probe may still be a call of the old kind.)
create or replace function sluice.configuration_lag() returns interval
language sql immutable parallel safe
as $$ select interval '300 milliseconds' $$;

-- follow_change: lets the first call of model p_model after a change go alone: a closed breaker
-- becomes half open, one success from closed; a half-open one forgets its probe, which was a call
-- of the old kind. Not before all workers have heard of the change: until then that call might look
-- as before. Requires the lock of the breaker's row.
create or replace function sluice.follow_change(
  p_model sluice.models, p_breaker sluice.breaker, p_now timestamptz)
returns sluice.breaker
language plpgsql volatile
as $$
begin
  perform sluice.move_breaker(p_model.id, 'closed', 'half_open',
    'its calls have changed: the first one goes alone', p_now);
  update sluice.breaker b
  set heeded_change = p_model.calls_changed_at, probe_task = null, probe_fence = null,
    probe_after = p_now + sluice.configuration_lag(),
    successes = case p_breaker.state when 'closed' then p_model.breaker_successes - 1
      else b.successes end
  where b.model = p_model.id returning * into p_breaker;
  return p_breaker;
end
$$;

-- note_transition: one row for sluice.breaker_events; keeps the newest 1,000 of each model.
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

-- move_breaker: one transition, if the breaker is in state p_from. Waits for
-- another transaction that moves it, and finds it moved then.
create or replace function sluice.move_breaker(
  p_model int, p_from text, p_to text, p_reason text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  if p_from = 'closed' then
    insert into sluice.breaker (model, state, since) values (p_model, 'closed', p_now)
      on conflict do nothing;
  end if;
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

-- is_probe: whether a call that ends now is the one that its model's half-open breaker let through.
create or replace function sluice.is_probe(p_lease sluice.lease) returns boolean
language plpgsql stable
as $$
begin
  return exists (select from sluice.breaker b
                 where b.model = p_lease.model and b.state = 'half_open'
                   and (b.probe_task, b.probe_fence) = (p_lease.task_id, p_lease.fence));
end
$$;

-- probe_at: when the breaker of model p_model lets a call through: p_now or later; infinity: when
-- its probe has ended; null: it is closed, or does so now. (A clock set back holds up no probe.)
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

-- opens_at: when model p_model may begin a call: p_now: at once; later: its next permit, the end of
-- a closure, the next probe; infinity: no time is known. A model that is full waits for the end of
-- a call, and the worker whose call it was claims.
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
