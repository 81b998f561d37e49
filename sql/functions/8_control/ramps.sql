-- Ramps: a model's share of a route grows in steps, as long as the model does no worse than the
-- route's others. A look at the history (history.sql) makes the steps, in its transaction and under
-- its lock: it has just counted what they are judged by. So each is made once, whoever looks and
-- whenever he is killed, and nothing on the path of a task knows of ramps.
--
-- Each step is a change of sluice.routes like any other, a revision with its reason. A ramp moves a
-- weight only while that is as the ramp has left it: if somebody sets another one, the ramp ends.

-- ramps_kept_max: how many ramps that have ended are kept; of shadows, too.
create or replace function sluice.ramps_kept_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- start_ramp: lets a model's share of a route grow to another one, in equal steps. The first is
-- made at once; each further one when the one before has lasted, the model has had enough calls in
-- it, and has done no worse than the others. If it does worse its weight goes back at once to what
-- it was before the ramp.
-- Params:  route, model: the model must be in the route already, with weight 0 if it is new; share:
--          of the route's weights at the end, above the present one, at most 0.95 (null: 0.3);
--          steps: how many (null: 6); step_time: how long each lasts at least (null: 10 minutes);
--          calls_min: how many calls each needs (null: 100); error_margin: how much more of its
--          calls may fail than of the others' (null: 0.02, two of a hundred); p95_margin: how much
--          longer 95 % of its calls may take (null: 0.5, half as long again; infinity: any time);
--          reason: for the revisions.
-- Returns: the ramp's id.
-- Errors:  SL001 the route has no such model; SL004 it has that share already, or no other model
--          has a weight; 23505 the route has a ramp; 23514 a number out of its bounds.
create or replace function sluice.start_ramp(
  route text, model text, share double precision default null, steps int default null,
  step_time interval default null, calls_min int default null,
  error_margin double precision default null, p95_margin double precision default null,
  reason text default null, p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_others double precision;
  v_share double precision := coalesce(start_ramp.share, 0.3);
  v_ramp sluice.ramp;
begin
  v_ramp.weight := (select r.weight from sluice.routes r
    where r.route = start_ramp.route and r.model = start_ramp.model for no key update);
  if v_ramp.weight is null then
    raise exception 'route "%" has no model "%"', coalesce(left(start_ramp.route, 200), 'null'),
      coalesce(left(start_ramp.model, 200), 'null') using errcode = 'SL001', column = 'model',
      hint = 'Give it one first: sluice route set ROUTE MODEL 0.';
  elsif exists (select from sluice.ramp r
    where r.route = start_ramp.route and r.ended_at is null) then
    raise exception 'route "%" has a ramp already', left(start_ramp.route, 200)
      using errcode = '23505', column = 'route', hint = 'Stop it first: sluice ramp stop ROUTE.';
  end if;
  v_others := sluice.others_weight(start_ramp.route, start_ramp.model);
  if v_others = 0 or v_share <= v_ramp.weight / (v_ramp.weight + v_others) then
    raise exception 'model "%" has % %% of route "%" already', left(start_ramp.model, 200),
      case when v_others > 0 then round((100 * v_ramp.weight
        / (v_ramp.weight + v_others))::numeric, 1) else 100 end, left(start_ramp.route, 200)
      using errcode = 'SL004', column = 'share',
      hint = 'A ramp raises a share beside others that have a weight. Set a lower weight first.';
  end if;
  delete from sluice.ramp r where r.ended_at is not null
    and r.id <= (select max(m.id) from sluice.ramp m) - sluice.ramps_kept_max();
  insert into sluice.ramp (route, model, share, share_before, weight, weight_before, steps,
    step_time, stepped_at, calls_min, error_margin, p95_margin, reason, who, api_key, started_at)
  values (start_ramp.route, start_ramp.model, v_share, v_ramp.weight / (v_ramp.weight + v_others),
    v_ramp.weight, v_ramp.weight, coalesce(start_ramp.steps, 6),
    coalesce(start_ramp.step_time, '10 minutes'), v_now, coalesce(start_ramp.calls_min, 100),
    coalesce(start_ramp.error_margin, 0.02), coalesce(start_ramp.p95_margin, 0.5), '',
    session_user, sluice.caller_key(), v_now)
  returning * into v_ramp;
  perform sluice.take_ramp_step(v_ramp, start_ramp.reason, v_now);
  perform sluice.note_audit('start_ramp', v_ramp.route, jsonb_build_object('ramp', v_ramp.id,
    'model', v_ramp.model, 'share', v_ramp.share, 'steps', v_ramp.steps, 'reason',
    start_ramp.reason));
  return v_ramp.id;
end
$$;

-- others_weight: the weights of a route's other models.
create or replace function sluice.others_weight(p_route text, p_model text)
returns double precision
language sql stable
as $$
  select coalesce(sum(r.weight::double precision), 0) from sluice.routes r
  where r.route = p_route and r.model <> p_model
$$;

-- take_ramp_step: gives the model the weight of the next step, beside the others' present ones.
-- Requires the locks of the ramp's and the route's rows.
-- Params:  p_reason: besides the step itself.
-- Returns: what was done, in words.
create or replace function sluice.take_ramp_step(
  p_ramp sluice.ramp, p_reason text, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_share double precision := p_ramp.share_before
    + (p_ramp.share - p_ramp.share_before) * (p_ramp.step + 1) / p_ramp.steps;
  v_reason text := format('ramp %s: step %s of %s, %s %%', p_ramp.id, p_ramp.step + 1,
    p_ramp.steps, round((100 * v_share)::numeric, 1)) || coalesce(': ' || p_reason, '');
begin
  p_ramp.weight := sluice.others_weight(p_ramp.route, p_ramp.model) * v_share / (1 - v_share);
  perform sluice.set_ramped_weight(p_ramp, v_reason), sluice.begin_step(p_ramp, p_now);
  update sluice.ramp r set step = r.step + 1, reason = v_reason, weight = p_ramp.weight
  where r.id = p_ramp.id;
  return v_reason;
end
$$;

-- begin_step: has a ramp's step begin now. What has been counted of this minute is not its own.
create or replace function sluice.begin_step(p_ramp sluice.ramp, p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  p_ramp.stepped_at := p_now;
  p_ramp.counted := null;
  update sluice.ramp r set stepped_at = p_now, counted = sluice.ramp_sums(p_ramp)
  where r.id = p_ramp.id;
end
$$;

-- set_ramped_weight: gives a ramp's model the ramp's weight, for a reason.
create or replace function sluice.set_ramped_weight(p_ramp sluice.ramp, p_reason text)
returns void
language plpgsql volatile
as $$
declare
  v_before text := sluice.give_reason(p_reason);
begin
  update sluice.routes r set weight = p_ramp.weight
  where r.route = p_ramp.route and r.model = p_ramp.model;
  perform sluice.give_reason(v_before);
end
$$;

-- end_ramp: ends a ramp.
-- Params:  p_goes_back: its model gets the weight that it had before.
-- Returns: why, in words.
create or replace function sluice.end_ramp(
  p_ramp sluice.ramp, p_state text, p_reason text, p_goes_back boolean, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_reason text := format('ramp %s %s', p_ramp.id, p_state) || coalesce(': ' || p_reason, '');
begin
  if p_goes_back then
    p_ramp.weight := p_ramp.weight_before;
    perform sluice.set_ramped_weight(p_ramp, v_reason);
  end if;
  update sluice.ramp r set state = p_state, reason = v_reason, ended_at = p_now,
    weight = p_ramp.weight
  where r.id = p_ramp.id;
  return v_reason;
end
$$;

-- ramp_sums: the calls by which a ramp's step is judged, as far as they are counted. errors: failed
-- tasks and calls that were repeated. p95_s is of whole minutes, from the one in which it began.
create or replace function sluice.ramp_sums(p_ramp sluice.ramp) returns sluice.ramp_sums
language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return (
    with side as (
      select h.model = p_ramp.model as is_own, sum(h.called + h.retries) as calls,
        sum(h.failed + h.retries) as errors,
        sluice.percentile(sluice.sum_counts(h.call_counts), 0.95) as p95_s
      from sluice.routes r join sluice.history_row h on h.step = 'minute' and h.model = r.model
        and h.tenant is null and h.at >= date_trunc('minute', p_ramp.stepped_at)
      where r.route = p_ramp.route and (r.weight > 0 or r.model = p_ramp.model) group by 1)
    select row(coalesce(own.calls, 0) - coalesce(c.calls, 0),
      coalesce(own.errors, 0) - coalesce(c.errors, 0), own.p95_s,
      coalesce(others.calls, 0) - coalesce(c.others_calls, 0),
      coalesce(others.errors, 0) - coalesce(c.others_errors, 0), others.p95_s)::sluice.ramp_sums
    from (select (p_ramp.counted).*) c left join side own on own.is_own
    left join side others on not others.is_own);
end
$$;

-- ramp_fault: in what a ramp's model does worse than the others, in words; null: in nothing that is
-- known yet. Errors count as a part of calls_min calls at least: one of the first two is no
-- reason, but nobody waits for calls_min calls when there are more errors than these may have.
create or replace function sluice.ramp_fault(p_ramp sluice.ramp, p_sums sluice.ramp_sums)
returns text
language plpgsql immutable
as $$
declare
  v_rate double precision := coalesce(
    p_sums.others_errors / nullif(p_sums.others_calls, 0)::double precision, 0);
begin
  if p_sums.errors > greatest(p_sums.calls, p_ramp.calls_min) * (v_rate + p_ramp.error_margin) then
    return format('%s of %s calls failed; of the others'' calls %s %% did, and the margin is %s',
      p_sums.errors, p_sums.calls, round((100 * v_rate)::numeric, 1), p_ramp.error_margin);
  elsif least(p_sums.calls, p_sums.others_calls) >= p_ramp.calls_min
    and p_sums.p95_s > p_sums.others_p95_s * (1 + p_ramp.p95_margin) then
    return format('95 %% of %s calls took %s s at most, of the others'' %s s; the margin is %s',
      p_sums.calls, round(p_sums.p95_s::numeric, 3), round(p_sums.others_p95_s::numeric, 3),
      p_ramp.p95_margin);
  end if;
  return null;
end
$$;

-- advance_ramps: the next step, or the end, of each ramp for which the time has come. Called by a
-- look at the history. A row that somebody has locked is left to the next look.
create or replace function sluice.advance_ramps(p_now timestamptz) returns void
language plpgsql volatile
set lock_timeout = '50ms'
as $$
declare
  v_ramp sluice.ramp;
  v_reason text;
begin
  for v_ramp in
    select r.* from sluice.ramp r where r.ended_at is null order by r.id for update skip locked
  loop
    begin
      v_reason := sluice.advance_ramp(v_ramp, p_now);
      perform sluice.note_audit('advance_ramp', v_ramp.route, jsonb_build_object('ramp', v_ramp.id,
        'model', v_ramp.model, 'reason', v_reason)) where v_reason is not null;
    exception when others then
      raise warning 'a step of ramp % failed: SQLSTATE %', v_ramp.id, sqlstate;
    end;
  end loop;
end
$$;

-- advance_ramp: what has to be done now for a ramp. One that is paused is judged, too.
-- Returns: what was done, in words; null: nothing.
create or replace function sluice.advance_ramp(p_ramp sluice.ramp, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_weight real := (select r.weight from sluice.routes r
    where r.route = p_ramp.route and r.model = p_ramp.model for no key update);
  v_sums sluice.ramp_sums := sluice.ramp_sums(p_ramp);
  v_fault text := sluice.ramp_fault(p_ramp, v_sums);
begin
  if v_weight is distinct from p_ramp.weight then
    return sluice.end_ramp(p_ramp, 'superseded', case when v_weight is null
      then 'the route no longer has the model' else 'somebody set the weight' end, false, p_now);
  elsif v_fault is not null then
    return sluice.end_ramp(p_ramp, 'aborted', v_fault, true, p_now);
  elsif p_ramp.stepped_at > p_now then  -- the clock was set back
    perform sluice.begin_step(p_ramp, p_now);
  elsif p_ramp.state = 'running' and v_sums.calls >= p_ramp.calls_min
    and p_now >= p_ramp.stepped_at + p_ramp.step_time then
    if p_ramp.step = p_ramp.steps then
      return sluice.end_ramp(p_ramp, 'done', null, false, p_now);
    elsif sluice.others_weight(p_ramp.route, p_ramp.model) = 0 then
      return sluice.end_ramp(p_ramp, 'superseded', 'no other model of the route has a weight',
        false, p_now);
    end if;
    return sluice.take_ramp_step(p_ramp, null, p_now);
  end if;
  return null;
end
$$;
