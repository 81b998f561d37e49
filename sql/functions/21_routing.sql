-- Routing: which model of its route a task goes to is decided when it is claimed. Nothing is drawn and no row moves, so weights, pauses,
-- closures and quotas act at once on all that waits.
--
-- A meter counts in virtual time: a model's v goes up by 1 / weight with every task that it takes of the line, the route's V by 1 / W,
-- W being the weights of the models that can call now. A model may take until its v is slack / W ahead of V. One that has been away
-- begins at slack / W behind V at most: it makes up for nothing. One alone may take everything.
-- Who counts: is open, has a permit and a call left, and has asked within a second. So no task waits for a model that could not start
-- it, nor for one that no worker serves.
-- Simulated, 10,000 waiting, 70 : 30: 70.0 : 30.0 at equal speeds, 70.0 : 29.9 at 2,000/s and 500/s. Rejected: a model drawn at submit,
-- with take-over by idle siblings: 52.5 : 47.5 and 76 : 24.
-- State: rows of the unlogged table sluice.meter, newest first. After a crash all begin equal.

-- route_slack: tasks that a model may be ahead of its share: what one claim takes at once. 10,000 tasks are off by 0.6 points at most.
create or replace function sluice.route_slack() returns double precision
language sql immutable parallel safe
as $$ select 64::double precision $$;

-- asks_for: so long a model counts after it asked.
create or replace function sluice.asks_for() returns interval
language sql immutable parallel safe
as $$ select interval '1 second' $$;

-- meter_of: the newest row of a meter; all null: there is none.
create or replace function sluice.meter_of(p_line int, p_model int) returns sluice.meter
language plpgsql volatile
as $$
declare
  v_meter sluice.meter;
begin
  if not pg_is_in_recovery() then
    select * into v_meter from sluice.meter m where m.line = p_line and m.model = p_model order by m.line, m.model, m.n desc limit 1;
  end if;
  return v_meter;
end
$$;

-- note_meter: a newer row. Requires the line's lock.
create or replace function sluice.note_meter(
  p_line int, p_model int, p_at timestamptz, p_v double precision, p_weight double precision, p_tenant bigint default null)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.meter (line, model, n, at, v, weight, tenant)
  values (p_line, p_model, nextval('sluice.mark_id'), p_at, p_v, p_weight, p_tenant);
end
$$;

-- route_weight: the weights of the models that p_line feeds and that can call now, beside p_model.
create or replace function sluice.route_weight(p_line int, p_model int, p_now timestamptz) returns double precision
language plpgsql volatile
as $$
begin
  return (
    select coalesce(sum(s.weight), 0)
    from (select m, r.weight from sluice.route_line l join sluice.routes r on r.route = l.route and r.weight > 0
          join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
          where l.n = -p_line and m.id <> p_model
            and (sluice.meter_of(p_line, m.id)).at > p_now - sluice.asks_for() offset 0) s
    where sluice.opens_at(s.m, p_now) <= p_now);
end
$$;

-- route_meter: the route's meter as it is for p_model, which asks. Its weight is summed up anew when it is 100 ms old (and 50 times
-- what that took beyond 10 ms; 50 models take 2); until then who comes back, or has another weight, is added: of 1,000 models that ask one
-- after the other each would sum up 1,000 (a claim took 50 s).
-- Params:  p_anew: also when it is younger, unless it took long: somebody would be held back by it.
create or replace function sluice.route_meter(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_anew boolean, p_now timestamptz) returns sluice.meter
language plpgsql volatile
as $$
declare
  v_meter sluice.meter := sluice.meter_of(p_line, 0);
  v_started timestamptz := clock_timestamp();
  v_counted double precision := case when p_own.at > p_now - sluice.asks_for() then p_own.weight else 0 end;
begin
  if v_meter.at between p_now - interval '100 ms' and p_now + interval '1 minute' and not (p_anew and v_meter.at <= p_now) then
    if v_counted <> p_weight then
      v_meter.weight := greatest(p_weight, v_meter.weight + p_weight - v_counted);
      perform sluice.note_meter(p_line, 0, v_meter.at, v_meter.v, v_meter.weight);
    end if;
    return v_meter;
  end if;
  v_meter.v := coalesce(v_meter.v, 0);
  v_meter.weight := p_weight + sluice.route_weight(p_line, p_model, p_now);
  v_meter.at := p_now + greatest(interval '0', 50 * (clock_timestamp() - v_started - interval '10 ms'));
  perform sluice.note_meter(p_line, 0, v_meter.at, v_meter.v, v_meter.weight);
  return v_meter;
end
$$;

-- own_meter: p_model's meter beside the route's: never more than the slack behind it; at its side alone, and after a change of weights.
create or replace function sluice.own_meter(p_own sluice.meter, p_route sluice.meter, p_weight double precision) returns double precision
language sql immutable
as $$
  select case when p_own.weight = p_weight and p_route.weight > p_weight
    then greatest(p_own.v, p_route.v - sluice.route_slack() / p_route.weight) else coalesce(p_route.v, 0) end
$$;

-- may_take: how many tasks of route line p_line model p_model may take now; null: any number, for no other can call.
-- Params:  p_weight: the model's in the route; p_want: a claim asks for so many, which is noted; requires the line's lock.
--          Null: only looks.
create or replace function sluice.may_take(p_line int, p_model int, p_weight double precision, p_want int, p_now timestamptz)
returns int
language plpgsql volatile
as $$
declare
  v_own sluice.meter := sluice.meter_of(p_line, p_model);
  v_route sluice.meter := sluice.meter_of(p_line, 0);
  v_most int;
begin
  if p_want is not null then
    v_route := sluice.route_meter(p_line, p_model, p_weight, v_own, false, p_now);
    v_most := sluice.share_now(v_own, v_route, p_weight);
    if v_most < p_want then
      v_route := sluice.route_meter(p_line, p_model, p_weight, v_own, true, p_now);
    end if;
    if v_own.weight is distinct from p_weight or v_own.at not between p_now - interval '250 ms' and p_now then
      perform sluice.note_meter(p_line, p_model, p_now, sluice.own_meter(v_own, v_route, p_weight), p_weight);
    end if;
  end if;
  return sluice.share_now(v_own, v_route, p_weight);
end
$$;

-- share_now: how many tasks a model may take by these meters: so many that it is the slack ahead of what V will be then. Null: any number.
create or replace function sluice.share_now(p_own sluice.meter, p_route sluice.meter, p_weight double precision) returns int
language sql immutable
as $$
  select case when p_route.weight > p_weight then greatest(0, floor(
    (p_route.v + sluice.route_slack() / p_route.weight - sluice.own_meter(p_own, p_route, p_weight))
    / (1 / p_weight - 1 / p_route.weight)))::int end
$$;

-- note_asks: that the models p_ids, which one claim is for, ask for the tasks of their routes: before the first of them takes, or it would
-- have them all. Tries the routes' locks.
create or replace function sluice.note_asks(p_ids int[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v record;
begin
  for v in
    select -l.n as line, m.id, r.weight
    from (select distinct line from sluice.rung where line < 0) g join sluice.route_line l on l.n = -g.line
    join sluice.routes r on r.route = l.route and r.weight > 0
    join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
    where m.id = any (p_ids)
      and coalesce((sluice.meter_of(-l.n, m.id)).at not between p_now - interval '250 ms' and p_now, true)
    order by 1
  loop
    if sluice.try_line(v.line) then
      perform sluice.may_take(v.line, v.id, v.weight, 0, p_now);
    end if;
  end loop;
end
$$;

-- note_routed: p_model has taken p_taken tasks of route line p_line. Requires the line's lock.
create or replace function sluice.note_routed(p_line int, p_model int, p_taken int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_own sluice.meter := sluice.meter_of(p_line, p_model);
  v_route sluice.meter := sluice.meter_of(p_line, 0);
begin
  perform sluice.note_meter(p_line, p_model, p_now, p_taken / v_own.weight + sluice.own_meter(v_own, v_route, v_own.weight),
      v_own.weight),
    sluice.note_meter(p_line, 0, v_route.at, v_route.v + p_taken / v_route.weight, v_route.weight);
end
$$;

-- lines_open: what a claim of p_model may take from: its own line and those of its routes, as far as they may have work, with how much.
-- Requires the model's lock; tries the routes': busy: another model is taking there now.
create or replace function sluice.lines_open(p_model sluice.models, p_want int, p_now timestamptz) returns sluice.line_share[]
language plpgsql volatile
as $$
declare
  v_shares sluice.line_share[] := '{}';
  v record;
  v_most int;
begin
  for v in
    select p_model.id as line, null::double precision as weight where exists (select from sluice.rung where line = p_model.id)
    union all
    select -l.n, r.weight from sluice.routes r join sluice.route_line l on l.route = r.route and (l.api is null or l.api = p_model.api)
    where r.model = p_model.name and r.weight > 0 and exists (select from sluice.rung g where g.line = -l.n)
    order by 1
  loop
    v_most := null;
    if v.line < 0 then
      continue when not pg_try_advisory_xact_lock(sluice.lock_class('route'), -v.line);
      v_most := sluice.may_take(v.line, p_model.id, v.weight, p_want, p_now);
      continue when v_most = 0;
    end if;
    v_shares := v_shares || row(v.line, v_most)::sluice.line_share;
  end loop;
  return v_shares;
end
$$;

-- lock_line: waits for the lock under which a line's marks move: the model's, or the route's.
create or replace function sluice.lock_line(p_line int) returns void
language plpgsql volatile
as $$
begin
  perform pg_advisory_xact_lock(sluice.lock_class(case when p_line < 0 then 'route' else 'model' end), abs(p_line));
end
$$;

-- try_line: tries it. Tried, not waited for: sweeping again in a second is cheap.
create or replace function sluice.try_line(p_line int) returns boolean
language plpgsql volatile
as $$
begin
  return pg_try_advisory_xact_lock(sluice.lock_class(case when p_line < 0 then 'route' else 'model' end), abs(p_line));
end
$$;
