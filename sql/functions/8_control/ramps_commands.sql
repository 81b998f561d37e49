-- Ramps as administrators see and stop them.

-- ramps: the ramps, the newest first.
-- Params:  route: its open one, or else its last; null: all.
-- Returns: rows; calls, errors and p95_s of the step so far, beside the others', while it is open.
create or replace function sluice.ramps(route text default null)
returns setof sluice.ramp_row
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return query
  select r.id, r.route, r.model, r.state, r.reason, r.share, r.step, r.steps, r.step_time,
    r.stepped_at, r.weight, r.weight_before, s.calls, s.errors, s.p95_s, s.others_calls,
    s.others_errors, s.others_p95_s, r.calls_min, r.error_margin, r.p95_margin,
    case when r.api_key is null then r.who::text else format('key %s via %s', r.api_key, r.who) end,
    r.started_at, r.ended_at
  from sluice.ramp r
  cross join lateral (select (x.sums).* from (select case when r.ended_at is null
    then sluice.ramp_sums(r) end as sums offset 0) x) s
  where ramps.route is null
    or r.id = (select max(n.id) from sluice.ramp n where n.route = ramps.route)
  order by r.id desc;
end
$$;

-- require_ramp: the open ramp of a route, locked.
-- Errors:  SL006 it has none.
create or replace function sluice.require_ramp(p_route text) returns sluice.ramp
language plpgsql volatile
as $$
declare
  v_ramp sluice.ramp;
begin
  select r.* into v_ramp from sluice.ramp r
  where r.route = p_route and r.ended_at is null for update;
  if not found then
    raise exception 'route "%" has no open ramp', left(p_route, 200) using errcode = 'SL006',
      column = 'route', hint = 'sluice ramp ls lists what there is.';
  end if;
  return v_ramp;
end
$$;

-- pause_ramp: has a route's ramp make no further steps. It is still judged, and aborted.
-- Params:  route: its name; reason: why.
-- Returns: the state afterwards: paused.
-- Errors:  SL006 the route has no open ramp.
create or replace function sluice.pause_ramp(
  route text, reason text default null, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.move_ramp(sluice.require_ramp(pause_ramp.route), 'paused', pause_ramp.reason,
    sluice.now_for(p_now));
end
$$;

-- resume_ramp: has a paused ramp go on. Its step begins anew.
-- Params:  route: its name; reason: why.
-- Returns: the state afterwards: running.
-- Errors:  SL006 the route has no open ramp.
create or replace function sluice.resume_ramp(
  route text, reason text default null, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.move_ramp(sluice.require_ramp(resume_ramp.route), 'running', resume_ramp.reason,
    sluice.now_for(p_now));
end
$$;

-- move_ramp: pause_ramp and resume_ramp.
create or replace function sluice.move_ramp(
  p_ramp sluice.ramp, p_state text, p_reason text, p_now timestamptz) returns text
language plpgsql volatile
as $$
begin
  if p_ramp.state <> p_state then
    update sluice.ramp r set state = p_state,
      reason = format('ramp %s %s', r.id, p_state) || coalesce(': ' || p_reason, '')
    where r.id = p_ramp.id;
    perform sluice.begin_step(p_ramp, p_now) where p_state = 'running';
  end if;
  perform sluice.note_audit(case p_state when 'paused' then 'pause_ramp' else 'resume_ramp' end,
    p_ramp.route, jsonb_build_object('ramp', p_ramp.id, 'reason', p_reason));
  return p_state;
end
$$;

-- stop_ramp: ends a route's ramp. The weight goes back to what it was before, unless somebody has
-- set another one meanwhile.
-- Params:  route: its name; reason: why.
-- Returns: the state afterwards: stopped.
-- Errors:  SL006 the route has no open ramp.
create or replace function sluice.stop_ramp(
  route text, reason text default null, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_ramp sluice.ramp := sluice.require_ramp(stop_ramp.route);
  v_weight real := (select r.weight from sluice.routes r
    where r.route = v_ramp.route and r.model = v_ramp.model for no key update);
begin
  perform sluice.end_ramp(v_ramp, 'stopped', stop_ramp.reason,
    v_weight is not distinct from v_ramp.weight, v_now);
  perform sluice.note_audit('stop_ramp', v_ramp.route, jsonb_build_object('ramp', v_ramp.id,
    'reason', stop_ramp.reason));
  return 'stopped';
end
$$;
