-- Vocabulary of the tests of ramps, beside that of _helpers.sql and _history.sql. They need the
-- database alone.

-- ended: p_solved tasks of a model that were solved at p_now, and p_failed that failed, after calls
-- of p_call_s; the history has counted them.
create function ended(p_model text, p_solved int, p_failed int, p_now timestamptz,
  p_call_s numeric default 1) returns void language plpgsql
as $$
declare
  v_begun timestamptz := p_now - p_call_s * interval '1 second';
  v_worker bigint := given_worker(array[p_model], v_begun);
begin
  perform given_tasks(p_model, p_solved + p_failed, v_begun - interval '1 second');
  perform claimed(v_worker, p_solved + p_failed, v_begun);
  perform sluice.complete(v_worker, array(
    select told(l.task_id, case when row_number() over (order by l.task_id) <= p_failed
      then 'failed' else 'solved' end)
    from sluice.lease l where l.worker = v_worker), p_now);
  perform sluice.count_ends(p_now + interval '1 ms');
end
$$;

create function weight_of(p_route text, p_model text) returns numeric language sql
as $$
  select round(weight::numeric, 4) from sluice.routes where route = p_route and model = p_model
$$;

-- ramp_now: how a route's ramp stands after a look at p_now: state, step and weight.
create function ramp_now(p_route text, p_now timestamptz) returns text language plpgsql
as $$
begin
  perform sluice.advance_ramps(p_now);
  return (select format('%s %s %s', r.state, r.step, weight_of(r.route, r.model))
    from sluice.ramps(p_route) r);
end
$$;
