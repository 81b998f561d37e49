-- Routing: when a task is claimed it is decided to which model of its route it goes. No model is
-- drawn beforehand and no row moves, so changed weights, pauses, closures and quotas act at once on
-- all waiting tasks. Meters measure each model's share: routing_meters.sql. Routes that prefer
-- cheap or fast models go by these: choice.sql.

-- may_take: how many tasks of route line p_line model p_model may take now beside the others of its
-- tier; null: any number, because none counts.
-- Params:  p_weight, p_tier: the model's in the route; p_want: how many tasks a claim wants;
--          requires the line's lock. Null: only look.
create or replace function sluice.may_take(
  p_line int, p_model int, p_weight double precision, p_want int, p_now timestamptz,
  p_tier int default 1)
returns int
language plpgsql volatile
as $$
declare
  v_own sluice.meter := sluice.meter_of(p_line, p_model);
  v_route sluice.meter;
begin
  if p_want is null then
    v_route := sluice.meter_of(p_line, sluice.tier_meter(p_tier));
  else
    v_own := sluice.note_ask(p_line, p_model, p_weight, v_own, p_now, p_tier => p_tier);
    v_route := sluice.route_meter(p_line, p_model, p_weight, v_own, false, p_now, p_tier);
    if sluice.share_now(v_own, v_route, p_weight) < p_want then
      v_route := sluice.route_meter(p_line, p_model, p_weight, v_own, true, p_now, p_tier);
      if sluice.share_now(v_own, v_route, p_weight) < p_want then
        v_route := sluice.free_route(p_line, p_model, p_weight, v_own, v_route, p_now, p_tier);
      end if;
    end if;
  end if;
  return sluice.share_now(v_own, v_route, p_weight);
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
begin
  if not exists (select from sluice.ready_line where line < 0) then
    return;  -- mostly: the next statement takes 0.1 to 0.2 ms to find nothing
  end if;
  perform sluice.note_ask(v.line, v.id, v.weight, sluice.meter_of(v.line, v.id), p_now, v.prefer,
    v.tier)
  from (
    select -l.n as line, m.id, r.weight, r.prefer, r.tier
    from (select distinct line from sluice.ready_line where line < 0) g join sluice.route_line l
      on l.n = -g.line and l.model is null
    join sluice.routes r on r.route = l.route and r.weight > 0
    join (select m.id, m.name, m.api from sluice.models m
          where m.id = any (p_ids) and m.name in (select o.model from sluice.routes o)
            and sluice.opens_at(m, p_now) <= p_now offset 0) m
      on m.name = r.model and (l.api is null or l.api = m.api)
    left join lateral (
      select o.at, o.weight from sluice.meter o where o.line = -l.n and o.model = m.id
      order by o.line, o.model, o.n desc limit 1) o on true
    where coalesce(o.at not between p_now - sluice.ask_interval() and p_now
        or o.weight not in (0, r.weight) or o.weight = 0 and r.prefer <> 'weight', true)
      and (l.version is null or sluice.serves_version(p_worker, l.version))
    order by random() limit sluice.asks_max()) v
  where sluice.try_line(v.line);
end
$$;

-- note_routed: updates the meters of p_model by what its claim took from the route lines p_shares,
-- which were open to it, and notes whether it still counts in them. Requires the lines' locks.
-- Params:  p_shares: as they were before; p_want: how many tasks it wanted; p_is_limited: that
--          number was limited by permits or calls in flight, or only urgent tasks were wanted;
--          p_leases: what it took; p_more: how many it might take beyond p_want in the claim's
--          second round. If that is none, and it has taken all that it wanted, it is full: other
--          workers need not leave it anything. In a line that chooses it does not count before it
--          asks again.
create or replace function sluice.note_routed(
  p_model sluice.models, p_shares sluice.claim_share[], p_want int, p_is_limited boolean,
  p_leases sluice.lease[], p_now timestamptz, p_more int default 0)
returns void
language plpgsql volatile
as $$
declare
  v record;
  v_own sluice.meter;
  v_route sluice.meter;
  v_counts boolean;
  v_full bigint;
begin
  for v in
    select s.line, r.weight, r.tier, p_more = 0 and cardinality(p_leases) >= p_want
      and (r.prefer <> 'weight' or exists (select from sluice.routes o where o.route = r.route
        and o.tier > r.tier)) as is_full, r.prefer <> 'weight' as chooses,
      (select count(*) from unnest(p_leases) e where e.line = s.line) as taken,
      least(s.most, p_want) as most
    from unnest(p_shares) s join sluice.route_line l on l.n = -s.line and l.model is null
    join sluice.routes r on r.route = l.route and r.model = p_model.name and r.weight > 0
  loop
    v_own := sluice.meter_of(v.line, p_model.id);
    v_counts := case when v.is_full and v.chooses then false
      when v.taken = v.most then not (p_is_limited and v.taken = p_want)
      else not sluice.passes_over(p_model, v.line, p_want, p_is_limited, p_leases) end;
    v_full := case when v.is_full and not v.chooses then 1 end;
    continue when v.taken = 0 and coalesce(v_counts = (v_own.weight > 0)
      and v_own.tenant is not distinct from v_full, true);
    if v.chooses then
      perform sluice.note_chosen(v.line, p_model.id, v.weight, v.taken::int, v_counts, p_now);
      continue;
    end if;
    v_route := sluice.route_meter(v.line, p_model.id, v.weight, v_own, false, p_now, v.tier);
    v_own.v := sluice.own_meter(v_own, v_route, v.weight) + v.taken / v.weight;
    perform sluice.note_meter(v.line, p_model.id, p_now, v_own.v,
      case when v_counts then v.weight else 0 end, v_full),
      sluice.note_meter(v.line, sluice.tier_meter(v.tier), v_route.at,
        v_route.v + v.taken / v_route.weight,
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
-- 100 ms, and all others waited for it. The same for the lines of its versions, counted apart:
-- routes with work would else keep them out.
create or replace function sluice.routes_look_max() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- route_share: what model p_model may take of route line p_line now, beside earlier tiers
-- (routing_tiers.sql) and the other models of its own, by their weights or by choice.
-- Params:  p_weight, p_tier, p_prefer: the model's in the route; p_want: as may_take.
create or replace function sluice.route_share(
  p_line int, p_model sluice.models, p_weight double precision, p_tier int, p_prefer text,
  p_want int, p_now timestamptz, p_worker bigint)
returns sluice.claim_share
language plpgsql volatile
as $$
declare
  v_share sluice.claim_share := row(p_line, null, null, null, null);
begin
  if p_tier > 1 and sluice.is_left_to_earlier(p_line, p_tier, p_now, p_worker) then
    v_share.before := sluice.urgent_before(p_line, p_model.id, p_tier, p_now);
    v_share.most := case when v_share.before is null then 0 end;
  elsif p_prefer <> 'weight' then
    return sluice.choose(p_line, p_model, p_weight, p_prefer, p_want, p_now, p_tier);
  else
    v_share.most := sluice.may_take(p_line, p_model.id, p_weight, p_want, p_now, p_tier);
  end if;
  return v_share;
end
$$;

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
  p_model sluice.models, p_want int, p_now timestamptz, p_worker bigint)
returns sluice.claim_share[]
language plpgsql volatile
as $$
declare
  v_shares sluice.claim_share[] := '{}';
  v_routes int := 0;
  v_versions int := 0;
  v_homes int := 0;
  v record;
  v_share sluice.claim_share;
begin
  for v in
    select l.line, l.weight, l.tier, l.version, l.prefer, l.home
    from (
      select p_model.id as line, null::double precision as weight, null::int as tier,
        null::text as version, null::text as prefer, null::int as home
      where exists (select from sluice.ready_line where line = p_model.id)
      union all
      select -l.n, null, null, l.version, null, null from sluice.route_line l
      where l.model = p_model.id and l.route is null
        and exists (select from sluice.ready_line g where g.line = -l.n)
      union all
      select -l.n, case when l.model is null then r.weight end, r.tier, l.version,
        case when l.model is null then r.prefer end, nullif(l.model, p_model.id)
      from sluice.routes r join sluice.route_line l on l.route = r.route
        and (l.api is null or l.api = p_model.api)
      where r.model = p_model.name and r.weight > 0 and exists (select from sluice.ready_line g
        where g.line = -l.n)) l
    order by l.home is not null, l.weight is null, random()
  loop
    v_share := row(v.line, null, null, null, null);
    if v.line < 0 then
      continue when v.home is null and case when v.weight is null then v_versions
          else v_routes end >= sluice.routes_look_max()
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
        v_share := sluice.route_share(v.line, p_model, v.weight, v.tier, v.prefer, p_want, p_now,
          p_worker);
      end if;
      continue when v_share.most = 0;
      v_versions := v_versions + (v.weight is null)::int;
      v_routes := v_routes + (v.weight is not null)::int;
    end if;
    v_shares := v_shares || v_share;
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
