-- Routing: which model of its route a task goes to is decided when it is claimed. Nothing is drawn
-- and no row moves, so weights, pauses, closures and quotas act at once on all that waits.
--
-- A meter counts in virtual time: a model's v goes up by 1 / weight with every task that it takes
-- of the line, the route's V by 1 / W, W being the weights of the models that count. A model may
-- take until it is route_slack() of its tasks ahead of V. One that has been away begins so many
-- behind V at most: it makes up for nothing. One alone may take everything. Who counts: has asked
-- within a second, is open, has a permit and a call left, and its share was all that kept it from
-- taking more. So no task waits for a model that could not start it, for one that no worker serves,
-- nor for one that is at its limit (who has one permit in 100 ms would hold the others to its pace)
-- or passes the route's tasks over for its own (those of a better rank, or older ones). Simulated,
-- 10,000 waiting, 70 : 30: 70.0 : 30.0 at equal speeds, 70.0 : 29.9 at 2,000/s and 500/s. Rejected:
-- a model drawn at submit, with take-over by idle siblings: 52.5 : 47.5 and 76 : 24; whoever asks
-- counts: beside one that was busy with its own tasks a free model got 84 of 2,000 and then
-- nothing. State: rows of the unlogged table sluice.meter, newest first. After a crash all begin
-- equal. A model's row has the weight that it counts with, or 0.

-- route_slack: tasks of its own that a model may be ahead of its share: one of two takes 64 at
-- once. A number for each, not one for the route: of fifty each would have one task. 10,000 tasks
-- are off by 0.3 points at most.
create or replace function sluice.route_slack() returns double precision
language sql immutable parallel safe
as $$ select 32::double precision $$;

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
    select * into v_meter from sluice.meter m where m.line = p_line and m.model = p_model
    order by m.line, m.model, m.n desc limit 1;
  end if;
  return v_meter;
end
$$;

-- note_meter: a newer row. Requires the line's lock.
create or replace function sluice.note_meter(
  p_line int, p_model int, p_at timestamptz, p_v double precision, p_weight double precision,
  p_tenant bigint default null)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.meter (line, model, n, at, v, weight, tenant)
  values (p_line, p_model, nextval('sluice.mark_id'), p_at, p_v, p_weight, p_tenant);
end
$$;

-- counted: the weight with which a meter counts at p_now; 0: not at all.
create or replace function sluice.counted(p_own sluice.meter, p_now timestamptz)
returns double precision
language sql immutable
as $$ select case when p_own.at > p_now - sluice.asks_for() and p_own.at <= p_now then p_own.weight
  else 0 end $$;

-- route_weight: the weights of the models that p_line feeds and that count, but for p_model.
-- The newest row of each by a plain look-up: meter_of and opens_at for all of 1,000 took 14 ms.
create or replace function sluice.route_weight(p_line int, p_model int, p_now timestamptz)
returns double precision
language plpgsql volatile
as $$
begin
  return (
    select coalesce(sum(s.weight), 0)
    from (select m, r.weight from sluice.route_line l join sluice.routes r on r.route = l.route
      and r.weight > 0
          join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
          cross join lateral (
            select o.at, o.weight from sluice.meter o where o.line = p_line and o.model = m.id
            order by o.line, o.model, o.n desc limit 1) o
          where l.n = -p_line and m.id <> p_model
            and o.at > p_now - sluice.asks_for() and o.at <= p_now and o.weight > 0 offset 0) s
    where sluice.opens_at(s.m, p_now) <= p_now);
end
$$;

-- route_meter: the route's meter as it is for p_model, which counts in it. Its weight is summed up
-- anew when it is 100 ms old (and 50 times what that took beyond 10 ms); until then who comes back,
-- or has another weight, is added: of 1,000 models that ask one after the other each would sum up
-- 1,000 (a claim took 50 s).
-- Params:  p_anew: also when it is older than 10 ms, unless it took long: somebody would be held
--          back by it.
create or replace function sluice.route_meter(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_anew boolean,
  p_now timestamptz)
returns sluice.meter
language plpgsql volatile
as $$
declare
  v_meter sluice.meter := sluice.meter_of(p_line, 0);
  v_started timestamptz := clock_timestamp();
  v_counted double precision := sluice.counted(p_own, p_now);
  v_kept interval := case when p_anew then '10 ms' else '100 ms' end;
begin
  if v_meter.at between p_now - v_kept and p_now + interval '1 minute' then
    v_meter.weight := greatest(p_weight, v_meter.weight + p_weight - v_counted);
    return v_meter;
  end if;
  v_meter.v := coalesce(v_meter.v, 0);
  v_meter.weight := sluice.route_weight(p_line, p_model, p_now);
  v_meter.at := p_now + greatest(interval '0',
    50 * (clock_timestamp() - v_started - interval '10 ms'));
  perform sluice.note_meter(p_line, 0, v_meter.at, v_meter.v, v_meter.weight + v_counted);
  v_meter.weight := v_meter.weight + p_weight;
  return v_meter;
end
$$;

-- own_meter: p_model's meter beside the route's: never more than the slack behind it; at its side
-- alone, after a change of weights, and when it did not count.
create or replace function sluice.own_meter(
  p_own sluice.meter, p_route sluice.meter, p_weight double precision)
returns double precision
language sql immutable
as $$
  select case when p_own.weight = p_weight and p_route.weight > p_weight
    then greatest(p_own.v, p_route.v - sluice.route_slack() / p_weight)
      else coalesce(p_route.v, 0) end
$$;

-- may_take: how many tasks of route line p_line model p_model may take now; null: any number, for
-- no other counts.
-- Params:  p_weight: the model's in the route; p_want: a claim asks for so many; requires the
--          line's lock. Null: only looks.
create or replace function sluice.may_take(
  p_line int, p_model int, p_weight double precision, p_want int, p_now timestamptz)
returns int
language plpgsql volatile
as $$
declare
  v_own sluice.meter := sluice.meter_of(p_line, p_model);
  v_route sluice.meter;
begin
  if p_want is null then
    v_route := sluice.meter_of(p_line, 0);
  else
    v_own := sluice.note_ask(p_line, p_model, p_weight, v_own, p_now);
    v_route := sluice.route_meter(p_line, p_model, p_weight, v_own, false, p_now);
    if sluice.share_now(v_own, v_route, p_weight) < p_want then
      v_route := sluice.route_meter(p_line, p_model, p_weight, v_own, true, p_now);
    end if;
  end if;
  return sluice.share_now(v_own, v_route, p_weight);
end
$$;

-- share_now: how many tasks a model may take by these meters: so many that it is the slack ahead of
-- what V will be then. Null: any number.
create or replace function sluice.share_now(
  p_own sluice.meter, p_route sluice.meter, p_weight double precision)
returns int
language sql immutable
as $$
  select case when p_route.weight > p_weight then greatest(0, floor(least(1000000,
    (p_route.v + sluice.route_slack() / p_weight - sluice.own_meter(p_own, p_route, p_weight))
    / (1 / p_weight - 1 / p_route.weight))))::int end
$$;

-- note_ask: that a model asks for tasks of route line p_line: it counts from now on, unless its
-- last claim within a second says that it need not. Written four times a second. Requires the
-- line's lock. Params: p_own: its meter. Returns: its meter now.
create or replace function sluice.note_ask(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_now timestamptz)
returns sluice.meter
language plpgsql volatile
as $$
declare
  v_route sluice.meter;
  v_is_back boolean := coalesce(p_own.at <= p_now - sluice.asks_for() or p_own.at > p_now, true);
begin
  if not v_is_back and p_own.weight in (0, p_weight) and p_own.at > p_now - interval '250 ms' then
    return p_own;
  end if;
  if v_is_back or p_own.weight not in (0, p_weight) then
    v_route := sluice.route_meter(p_line, p_model, p_weight, p_own, false, p_now);
    p_own.v := sluice.own_meter(p_own, v_route, p_weight);
    perform sluice.note_meter(p_line, 0, v_route.at, v_route.v, v_route.weight);
    p_own.weight := p_weight;
  end if;
  perform sluice.note_meter(p_line, p_model, p_now, p_own.v, p_own.weight);
  p_own.at := p_now;
  return p_own;
end
$$;

-- asks_max: so many a claim notes; the others are the next one's. With 20 models in 30 routes all
-- of them were 20 ms of each claim.
create or replace function sluice.asks_max() returns int
language sql immutable parallel safe
as $$ select 64 $$;

-- note_asks: that the models p_ids, which one claim is for, ask for the tasks of their routes:
-- before the first of them takes, or it would have them all. The route's weight is summed up at
-- most once. Tries the routes' locks.
create or replace function sluice.note_asks(p_ids int[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v record;
begin
  for v in
    select -l.n as line, m.id, r.weight
    from (select distinct line from sluice.ready_line where line < 0) g join sluice.route_line l
      on l.n = -g.line
    join sluice.routes r on r.route = l.route and r.weight > 0
    join (select m.id, m.name, m.api from sluice.models m
          where m.id = any (p_ids) and sluice.opens_at(m, p_now) <= p_now offset 0) m
      on m.name = r.model and (l.api is null or l.api = m.api)
    left join lateral (
      select o.at, o.weight from sluice.meter o where o.line = -l.n and o.model = m.id
      order by o.line, o.model, o.n desc limit 1) o on true
    where coalesce(o.at not between p_now - interval '250 ms' and p_now
      or o.weight not in (0, r.weight), true)
    order by random() limit sluice.asks_max()
  loop
    if sluice.try_line(v.line) then
      perform sluice.note_ask(v.line, v.id, v.weight, sluice.meter_of(v.line, v.id), p_now);
    end if;
  end loop;
end
$$;

-- note_routed: what a claim of p_model took of the route lines p_shares, which were open to it:
-- moves their meters, and says whether it still counts in them. Requires the lines' locks.
-- Params:  p_shares: as they were; p_want: what it wanted; p_is_limited: no more than that for want
--          of permits or calls, or urgent tasks only; p_leases: what it took.
create or replace function sluice.note_routed(
  p_model sluice.models, p_shares sluice.line_share[], p_want int, p_is_limited boolean,
  p_leases sluice.lease[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v record;
  v_own sluice.meter;
  v_route sluice.meter;
  v_counts boolean;
begin
  for v in
    select s.line, r.weight, (select count(*) from unnest(p_leases) e
      where e.line = s.line) as taken, least(s.most, p_want) as most
    from unnest(p_shares) s join sluice.route_line l on l.n = -s.line
    join sluice.routes r on r.route = l.route and r.model = p_model.name and r.weight > 0
  loop
    v_own := sluice.meter_of(v.line, p_model.id);
    v_counts := case when v.taken = v.most then not (p_is_limited and v.taken = p_want)
      else not sluice.passes_over(p_model, v.line, p_want, p_is_limited, p_leases) end;
    continue when v.taken = 0 and coalesce(v_counts = (v_own.weight > 0), true);
    v_route := sluice.route_meter(v.line, p_model.id, v.weight, v_own, false, p_now);
    v_own.v := sluice.own_meter(v_own, v_route, v.weight) + v.taken / v.weight;
    perform sluice.note_meter(v.line, p_model.id, p_now, v_own.v,
      case when v_counts then v.weight else 0 end),
      sluice.note_meter(v.line, 0, v_route.at, v_route.v + v.taken / v_route.weight,
        v_route.weight - case when v_counts then 0 else v.weight end);
  end loop;
end
$$;

-- passes_over: whether a claim that took less of route line p_line than its share left what waits
-- there for other reasons: it is at its limit, or took none of it, or tasks of the model's own
-- line, or of a better rank, instead. Params: as note_routed.
create or replace function sluice.passes_over(
  p_model sluice.models, p_line int, p_want int, p_is_limited boolean, p_leases sluice.lease[])
returns boolean
language plpgsql volatile
as $$
declare
  v_is_full boolean := cardinality(p_leases) >= p_want;
  v_rank smallint;
begin
  -- nothing is left that it could take
  if not v_is_full and not p_is_limited and p_model.tpm is null then
    return false;
  end if;
  v_rank := (sluice.lane_heads(p_line, 1))[1].rank;
  return v_rank is not null
    and (p_is_limited or not v_is_full
      or (select not bool_or(l.line = p_line) or bool_or(l.line = p_model.id or l.rank < v_rank)
        from unnest(p_leases) l));
end
$$;

-- routes_look_max: of the routes of one model that have tasks for it a claim takes from so many,
-- drawn anew each time: a line costs it 1.5 ms, and of 30 routes over 20 models, with tasks of 201
-- priorities, a claim was 100 ms under way, and all others waited for it.
create or replace function sluice.routes_look_max() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- lines_open: what a claim of p_model may take from: lines of its routes, and then its own, as far
-- as they may have work, with how much. Requires the model's lock; tries the routes': busy: another
-- model is taking there now.
create or replace function sluice.lines_open(p_model sluice.models, p_want int, p_now timestamptz)
returns sluice.line_share[]
language plpgsql volatile
as $$
declare
  v_shares sluice.line_share[] := '{}';
  v record;
  v_most int;
begin
  for v in
    select l.line, l.weight
    from (
      select p_model.id as line, null::double precision as weight
      where exists (select from sluice.ready_line where line = p_model.id)
      union all
      select -l.n, r.weight from sluice.routes r join sluice.route_line l on l.route = r.route
        and (l.api is null or l.api = p_model.api)
      where r.model = p_model.name and r.weight > 0 and exists (select from sluice.ready_line g
        where g.line = -l.n)) l
    order by l.weight is null, random()
  loop
    v_most := null;
    if v.line < 0 then
      continue when cardinality(v_shares) = sluice.routes_look_max();
      -- It may have been dropped before the lock was had.
      continue when not pg_try_advisory_xact_lock(sluice.lock_class('route'), -v.line)
        or to_regclass('sluice.queue_' || sluice.line_name(v.line)) is null;
      v_most := sluice.may_take(v.line, p_model.id, v.weight, p_want, p_now);
      continue when v_most = 0;
    end if;
    v_shares := v_shares || row(v.line, v_most)::sluice.line_share;
  end loop;
  return v_shares;
end
$$;
