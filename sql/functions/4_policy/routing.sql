-- Routing: when a task is claimed it is decided to which model of its route it goes. No model is
-- drawn beforehand and no row moves, so changed weights, pauses, closures and quotas act at once on
-- all waiting tasks. Meters measure each model's share: routing_meters.sql.

-- may_take: how many tasks of route line p_line model p_model may take now; null: any number,
-- because no other model counts.
-- Params:  p_weight: the model's in the route; p_want: how many tasks a claim wants; requires the
--          line's lock. Null: only look.
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

-- ask_interval: a model that asks all the time notes it once in so long: four times in asks_for.
create or replace function sluice.ask_interval() returns interval
language sql immutable parallel safe
as $$ select interval '250 milliseconds' $$;

-- note_ask: notes that a model asks for tasks of route line p_line: it counts from now on, unless
-- its last claim within a second noted that it need not. Writes once in ask_interval at most.
-- Requires the line's lock.
-- Params:  p_own: its meter.
-- Returns: its meter now.
create or replace function sluice.note_ask(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_now timestamptz)
returns sluice.meter
language plpgsql volatile
as $$
declare
  v_route sluice.meter;
  v_is_back boolean := coalesce(p_own.at <= p_now - sluice.asks_for() or p_own.at > p_now, true);
begin
  if not v_is_back and p_own.weight in (0, p_weight)
    and p_own.at > p_now - sluice.ask_interval() then
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

-- asks_max: how many asks one claim notes; the others are left to the next claim. With 20 models in
-- 30 routes, noting all of them took 20 ms of each claim.
create or replace function sluice.asks_max() returns int
language sql immutable parallel safe
as $$ select 64 $$;

-- note_asks: notes that the models p_ids of a claim ask for the tasks of their routes, before the
-- first of them takes any: else it would get all. The route's weight is summed up once at most.
-- Tries the routes' locks.
-- Params:  p_worker: only of lines of versions that it serves (null: any).
create or replace function sluice.note_asks(
  p_ids int[], p_now timestamptz, p_worker bigint default null)
returns void
language plpgsql volatile
as $$
declare
  v record;
begin
  for v in
    select -l.n as line, m.id, r.weight
    from (select distinct line from sluice.ready_line where line < 0) g join sluice.route_line l
      on l.n = -g.line and l.model is null
    join sluice.routes r on r.route = l.route and r.weight > 0
    join (select m.id, m.name, m.api from sluice.models m
          where m.id = any (p_ids) and sluice.opens_at(m, p_now) <= p_now offset 0) m
      on m.name = r.model and (l.api is null or l.api = m.api)
    left join lateral (
      select o.at, o.weight from sluice.meter o where o.line = -l.n and o.model = m.id
      order by o.line, o.model, o.n desc limit 1) o on true
    where coalesce(o.at not between p_now - sluice.ask_interval() and p_now
        or o.weight not in (0, r.weight), true)
      and (l.version is null or sluice.serves_version(p_worker, l.version))
    order by random() limit sluice.asks_max()
  loop
    if sluice.try_line(v.line) then
      perform sluice.note_ask(v.line, v.id, v.weight, sluice.meter_of(v.line, v.id), p_now);
    end if;
  end loop;
end
$$;

-- note_routed: updates the meters of p_model by what its claim took from the route lines p_shares,
-- which were open to it, and notes whether it still counts in them. Requires the lines' locks.
-- Params:  p_shares: as they were before; p_want: how many tasks it wanted; p_is_limited: that
--          number was limited by permits or calls in flight, or only urgent tasks were wanted;
--          p_leases: what it took.
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
    from unnest(p_shares) s join sluice.route_line l on l.n = -s.line and l.model is null
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

-- passes_over: whether a claim that took less of route line p_line than its share did so for
-- another reason than that share: it is at its limit, or it took none of the line, or it preferred
-- tasks of the model's own line or of a better rank.
-- Params:  as note_routed.
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

-- routes_look_max: from how many of a model's routes a claim takes tasks, drawn anew each time. A
-- line costs a claim 1.5 ms; with 30 routes over 20 models and tasks of 201 priorities a claim took
-- 100 ms, and all others waited for it.
create or replace function sluice.routes_look_max() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- versions_look_max: the same for the lines of a model's versions, counted apart: routes with work
-- would else keep them out.
create or replace function sluice.versions_look_max() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- homes_look_max: of how many other homes a claim asks whether they leave their tasks to others:
-- 0.1 ms each.
create or replace function sluice.homes_look_max() returns int
language sql immutable parallel safe
as $$ select 4 $$;

-- lines_open: the lines from which a claim of p_model may take, and how much: lines of its routes,
-- then its own, then other homes' (4_policy/affinity.sql), as far as they may have work. Requires
-- the model's lock; tries the routes' (busy: another model is taking there now).
-- Params:  p_worker: only lines of versions that it serves (null: any).
create or replace function sluice.lines_open(
  p_model sluice.models, p_want int, p_now timestamptz, p_worker bigint default null)
returns sluice.line_share[]
language plpgsql volatile
as $$
declare
  v_shares sluice.line_share[] := '{}';
  v_routes int := 0;
  v_versions int := 0;
  v_homes int := 0;
  v record;
  v_most int;
begin
  for v in
    select l.line, l.weight, l.version, l.home
    from (
      select p_model.id as line, null::double precision as weight, null::text as version,
        null::int as home
      where exists (select from sluice.ready_line where line = p_model.id)
      union all
      select -l.n, null, l.version, null from sluice.route_line l
      where l.model = p_model.id and l.route is null
        and exists (select from sluice.ready_line g where g.line = -l.n)
      union all
      select -l.n, case when l.model is null then r.weight end, l.version,
        nullif(l.model, p_model.id)
      from sluice.routes r join sluice.route_line l on l.route = r.route
        and (l.api is null or l.api = p_model.api)
      where r.model = p_model.name and r.weight > 0 and exists (select from sluice.ready_line g
        where g.line = -l.n)) l
    order by l.home is not null, l.weight is null, random()
  loop
    v_most := null;
    if v.line < 0 then
      continue when v.home is null and case when v.weight is null
          then v_versions >= sluice.versions_look_max()
          else v_routes >= sluice.routes_look_max() end
        or v.version is not null and not sluice.serves_version(p_worker, v.version);
      if v.home is not null then
        exit when v_homes = sluice.homes_look_max();
        v_homes := v_homes + 1;
        continue when not sluice.leaves_home(v.line, v.home, v_shares = '{}', p_now);
      end if;
      -- It may have been dropped before the lock was had.
      continue when not pg_try_advisory_xact_lock(sluice.lock_class('route'), -v.line)
        or to_regclass('sluice.queue_' || sluice.line_name(v.line)) is null;
      if v.weight is not null then
        v_most := sluice.may_take(v.line, p_model.id, v.weight, p_want, p_now);
        continue when v_most = 0;
      end if;
      v_versions := v_versions + (v.weight is null)::int;
      v_routes := v_routes + (v.weight is not null)::int;
    end if;
    v_shares := v_shares || row(v.line, v_most)::sluice.line_share;
  end loop;
  return v_shares;
end
$$;

-- models_with_work: which of the models p_ids may have work in their own line or a route's. Its
-- cost depends on the lines that may have work, not on the number of models: with 1,000 models of
-- which 10 have work it takes 0.1 ms.
-- Params:  p_per_route: of a route with more models only so many, drawn from those that can call at
--          p_now, and the home whose line it is; null: all.
create or replace function sluice.models_with_work(
  p_ids int[], p_per_route int default null, p_now timestamptz default null)
returns int[]
language plpgsql volatile
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return array(
    select r.line from sluice.ready_line r where r.line = any (p_ids)
    union
    select fed.id
    from (select l.line, sluice.models_of_line(l.line, p_ids) as ids
          from (select distinct line from sluice.ready_line where line < 0) l offset 0) r
    cross join lateral (
      select unnest(r.ids) as id where coalesce(cardinality(r.ids) <= p_per_route, true)
      union all
      select d.id
      from (select s.id
            from (select m as model, m.id from sluice.models m where m.id = any (r.ids)
              order by random() offset 0) s
            where cardinality(r.ids) > p_per_route and sluice.opens_at(s.model, v_now) <= v_now
              limit p_per_route) d
      union all
      select l.model from sluice.route_line l
      where cardinality(r.ids) > p_per_route and l.n = -r.line and l.model = any (p_ids)) fed);
end
$$;
