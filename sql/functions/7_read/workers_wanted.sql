-- How many workers the present work is worth: for autoscalers.

-- call_pace: what a call of each model took on average in the last ten minutes that the history has
-- counted; no row: none was made.
-- Returns: call_s: seconds; tokens: of input and output.
create or replace function sluice.call_pace(p_now timestamptz)
returns table (model text, call_s double precision, tokens double precision)
language sql stable
as $$
  select h.model, greatest(0.001, sum(h.call_s) / sum(h.called)),
    sum(h.input_tokens + h.output_tokens)::double precision / sum(h.called)
  from sluice.history_row h
  where h.step = 'minute' and h.at >= p_now - interval '10 minutes' and h.tenant is null
    and h.model is not null and h.called > 0
  group by h.model
$$;

-- ready_loads: how many tasks each model that may be called has ready: those that named it, and by
-- weight its share of its routes'. Counts as overview does, and no more than 1,000 that are due.
create or replace function sluice.ready_loads(p_now timestamptz)
returns table (model int, tasks double precision, since timestamptz)
language plpgsql volatile
as $$
declare
  c_due_max constant int := 1000;
begin
  return query
  with called as materialized (
    select m.id, m.name from sluice.models m left join sluice.breaker b on b.model = m.id
    where sluice.model_state(m, b.state, p_now) in ('open', 'half open')),
  due as materialized (
    select l.model, l.route, count(*) as tasks, min(l.ready_at) as since
    from (select l.model, l.route, l.ready_at from sluice.later l where l.ready_at <= p_now
      order by l.ready_at limit c_due_max) l group by 1, 2),
  ready as materialized (
    select case when l.line > 0 then l.line when n.route is null then n.model end as model,
      n.route, l.tasks, l.since
    from sluice.line_loads() l left join sluice.route_line n on l.line = -n.n
    union all select d.model, d.route, d.tasks, d.since from due d),
  part as materialized (
    select r.route, c.id as model,
      r.weight / sum(r.weight::float8) over (partition by r.route) as part
    from sluice.routes r join called c on c.name = r.model where r.weight > 0)
  select l.model, sum(l.tasks)::double precision, min(l.since)
  from (
    select r.model, r.tasks, r.since from ready r join called c on c.id = r.model
    union all
    select p.model, p.part * r.tasks, r.since from ready r join part p on p.route = r.route) l
  where l.tasks > 0 group by l.model;
end
$$;

-- calls_wanted: how many calls of a model should be in flight at once.
-- Params:  p_busy: how many are; p_ready: tasks, the oldest of which has waited p_waited_s;
--          p_call_s: what a call takes, null: not known.
-- Returns: enough to begin all in what is left of a minute (about as long as a new worker takes to
--          come), in which each place is used again every p_call_s, and once that time is over for
--          all at once; never fewer than are in flight. While nothing is known, those and one
--          worker's, p_slots, at most.
create or replace function sluice.calls_wanted(p_busy double precision, p_ready double precision,
  p_waited_s double precision, p_call_s double precision, p_slots double precision)
returns double precision
language sql immutable parallel safe
as $$
  select greatest(p_busy, coalesce((p_busy + p_ready) * p_call_s / greatest(p_call_s,
      60 - greatest(0, p_waited_s)),
    p_busy + least(p_ready, p_slots)))
$$;

-- calls_max: how many calls of a model its limits allow to be in flight: max_in_flight and, by
-- Little's law, what its quotas begin in the time that a call takes. Null: any number.
-- Params:  p_call_s, p_tokens: of a call, on average; null: not known.
create or replace function sluice.calls_max(p_model sluice.models, p_call_s double precision,
  p_tokens double precision)
returns double precision
language sql immutable parallel safe
as $$
  select least(p_model.max_in_flight, ceil(p_call_s / 60
    * least(p_model.rpm, p_model.tpm / nullif(p_tokens, 0))))
$$;

-- workers_wanted: how many workers the present work is worth: the calls that should be in flight at
-- once (calls_wanted) of all models that may be called, as far as their limits allow (calls_max),
-- over the slots of a worker: the average of the live ones, 400 while there is none. 0: nothing is
-- ready or in flight. Of 200 models with a million tasks it takes some 30 ms.
create or replace function sluice.workers_wanted(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  c_slots_by_default constant int := 400;
  v_now timestamptz := sluice.now_for(p_now);
  v_slots double precision := coalesce((
    select avg(w.slots) from sluice.worker w cross join sluice.settings s
    where w.dead_at is null and w.seen >= v_now - s.heartbeat_timeout), c_slots_by_default);
begin
  return (
    with pace as materialized (select * from sluice.call_pace(v_now)),
    load as materialized (select * from sluice.ready_loads(v_now)),
    calls as materialized (
      select sluice.calls_wanted(greatest(0, sluice.in_flight(m.id)), coalesce(l.tasks, 0),
          coalesce(sluice.seconds_between(l.since, v_now), 0), p.call_s, v_slots) as wanted,
        sluice.calls_max(m, p.call_s, p.tokens) as max
      from sluice.models m left join load l on l.model = m.id left join pace p on p.model = m.name)
    select coalesce(ceil(sum(least(c.wanted, c.max)) / v_slots), 0)::int from calls c);
end
$$;
