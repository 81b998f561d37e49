-- Choice: how a route that prefers cheap or fast models (routes.prefer) shares its tasks.
--
-- Nothing is sent to a model: models ask for tasks. So the choice is a refusal: a model that asks
-- gets nothing while another one of the route would be the better place for the next task. The
-- others that matter are its *rivals*: those that count by their meters (routing_meters.sql): that
-- ask, are open, and have a permit and a call left. A model that has just been given all that it
-- asked for does not count before it asks again: who knows whether it could take more. So no task
-- waits for a model that is paused, closed, limited or full, or that no worker serves.
--
-- latency   A model is the better place the fewer seconds it needs for an output token, and the
--           fewer calls it has under way: calls under way are shared by 1 / seconds ^ 4. By the
--           fourth power, because two models are then never slower together than the faster one
--           alone by more than 7 %, at any ratio of their speeds; by the first (peak-EWMA times
--           calls in flight, as proxies have it) by 21 %. Two equal ones share equally, as their
--           calls under way say, not by turns of all or nothing.
-- balanced  The same, with seconds * (1 + price / the mean price of the models).
-- cost      The cheapest model takes everything; of equally cheap ones as latency. A task with a
--           deadline is left to a model that keeps it, with the time of a slow call of late; if
--           none does, to the fastest.
--
-- A model of which nothing is known, or not for ten minutes, gets one call at a time until that
-- has ended. One that is not chosen gets one task in 50 all the same (of latency and
-- balanced): so it is found out that it has become better, and its share grows as fast as what is
-- known of it (D-362).

-- rivals_look_max: with how many others a model is compared, drawn anew each time: a rival costs a
-- claim 0.1 ms.
create or replace function sluice.rivals_look_max() returns int
language sql immutable parallel safe
as $$ select 8 $$;

-- call_price: what a model's call of 750 input and 250 output tokens costs at p_now, in nano-units:
-- three to one, as price lists are mostly compared. Infinity: not known.
create or replace function sluice.call_price(p_model sluice.models, p_now timestamptz)
returns double precision
language plpgsql stable
as $$
begin
  if not p_model.is_priced then
    return 'infinity';
  end if;
  return coalesce((
    select case when num_nonnulls(p.input, p.output) > 0 then
        (750 * p.input + 250 * p.output) / 1000000 + p.per_request
      when p.per_request > 0 then p.per_request end
    from sluice.prices p
    where p.model = p_model.name and p.above_tokens = 0
      and p.valid_from = sluice.list_in_force(p_model.name, p_now))::double precision, 'infinity');
end
$$;

-- rival_of: p_model as it is compared with others. While calls are under way it is at least as slow
-- as it has been silent: nothing ends at a backend that hangs.
create or replace function sluice.rival_of(p_model sluice.models, p_now timestamptz)
returns sluice.rival
language plpgsql volatile
as $$
declare
  v_speed sluice.speed := sluice.speed_of(p_model.id, p_now);
  v_calls int := sluice.in_flight(p_model.id);
  v_silent_s double precision := greatest(0, extract(epoch from p_now - v_speed.at));
begin
  return row(p_model.id, greatest(1e-6, v_speed.seconds / v_speed.tokens,
      case when v_calls > 0 then v_silent_s * v_speed.solved / v_speed.tokens end)
      * case when v_speed.at is not null then 1 end,
    v_calls, sluice.call_price(p_model, p_now),
    case when v_speed.at is null then 0 else (sluice.faded(v_speed, p_now)).slowest end)
    ::sluice.rival;
end
$$;

-- rivals: those of model p_model, of tier p_tier, in route line p_line. Of a route with very many
-- models a part is drawn first: looking up when each asked last took 14 ms for 1,000.
create or replace function sluice.rivals(
  p_line int, p_model int, p_now timestamptz, p_tier int default 1)
returns sluice.rival[]
language plpgsql volatile
as $$
begin
  return array(
    select sluice.rival_of(s.m, p_now)
    from (select m from (
        select r.model, l.api from sluice.route_line l join sluice.routes r on r.route = l.route
          and r.weight > 0 and r.tier = p_tier
        where l.n = -p_line order by random()
        limit 4 * sluice.rivals_look_max()) r
      join sluice.models m on m.name = r.model and (r.api is null or r.api = m.api)
      cross join lateral (
        select o.at, o.weight from sluice.meter o where o.line = p_line and o.model = m.id
        order by o.line, o.model, o.n desc limit 1) o
      where m.id <> p_model and o.at > p_now - sluice.asks_for() and o.at <= p_now and o.weight > 0
      offset 0) s
    where sluice.opens_at(s.m, p_now) <= p_now limit sluice.rivals_look_max());
end
$$;

-- strength: by what a model shares calls under way with its rivals.
-- Params:  p_mean: the mean of their prices that are known; null: none is.
create or replace function sluice.strength(
  p_rival sluice.rival, p_prefer text, p_mean double precision)
returns double precision
language sql immutable parallel safe
as $$
  select (p_rival.seconds * case when p_prefer = 'balanced' and p_mean > 0
    then 1 + p_rival.price / p_mean else 1 end) ^ -4::double precision
$$;

-- chosen_calls: how many of p_want tasks a model may take now beside p_rivals; null: all of them.
-- If it is the best place for the next task: as many as make its part of all their calls under way
-- what its strength is of all. It is not known here how many tasks wait: it supposes that they are
-- no more than are under way, and a few.
create or replace function sluice.chosen_calls(
  p_own sluice.rival, p_rivals sluice.rival[], p_prefer text, p_want int)
returns int
language plpgsql volatile
as $$
declare
  c_waiting constant int := 8;  -- so many tasks are supposed to wait beside an idle model
  v_mean double precision := (select avg(r.price) from unnest(p_rivals || p_own) r
    where r.price < 'infinity');
  v_own double precision := sluice.strength(p_own, p_prefer, v_mean);
  v record;
begin
  select sum(s.strength) as strength, sum(r.calls) as calls,
    min((r.calls + 1) / nullif(s.strength, 0)) as load
  into v
  from unnest(p_rivals) r
  cross join lateral (select sluice.strength(r, p_prefer, v_mean) as strength) s
  where r.seconds is not null;
  return case
    when v.strength is null then null   -- of none of them anything is known
    when p_own.seconds is null then greatest(0, 1 - p_own.calls)
    when coalesce(p_own.calls + 1 > v.load * v_own * (1 + 1e-9), false) then 0
    else greatest(1, coalesce(floor((p_own.calls + v.calls
        + least(p_want, c_waiting + p_own.calls + v.calls))
      * v_own / nullif(v_own + v.strength, 0)), 0) - p_own.calls)::int end;
end
$$;

-- is_to_be_tried: whether the next task of route line p_line goes to a model that is not chosen,
-- because as many went to others since its last one.
create or replace function sluice.is_to_be_tried(p_line int, p_model int) returns boolean
language plpgsql volatile
as $$
declare
  c_tried_each constant int := 50;  -- one of so many tasks of a route, 2 %
begin
  return coalesce((sluice.meter_of(p_line, 0)).v - (sluice.meter_of(p_line, p_model)).v, 0)
    >= c_tried_each * greatest(1, (
      select count(*) - 1 from sluice.route_line l join sluice.routes r on r.route = l.route
        and r.weight > 0 where l.n = -p_line));
end
$$;

-- choose: what p_model may take of route line p_line, which prefers p_prefer.
-- Params:  p_want: how many tasks a claim wants; requires the line's lock. Null: only look.
create or replace function sluice.choose(
  p_line int, p_model sluice.models, p_weight double precision, p_prefer text, p_want int,
  p_now timestamptz, p_tier int default 1)
returns sluice.claim_share
language plpgsql volatile
as $$
declare
  v_share sluice.claim_share := row(p_line, null, null, null, p_prefer);
  v_own sluice.rival;
  v_rivals sluice.rival[];
  v_cheaper_s double precision;
begin
  if p_want is not null then
    perform sluice.note_ask(p_line, p_model.id, p_weight, sluice.meter_of(p_line, p_model.id),
      p_now, p_prefer);
  end if;
  v_rivals := sluice.rivals(p_line, p_model.id, p_now, p_tier);
  if v_rivals = '{}' then
    return v_share;
  end if;
  v_own := sluice.rival_of(p_model, p_now);
  if p_prefer = 'cost' then
    v_cheaper_s := (select min(r.slowest) from unnest(v_rivals) r where r.price < v_own.price);
    if v_cheaper_s is not null then
      v_share.before := p_now + v_cheaper_s * interval '1 second';
    end if;
    if (select min(r.slowest) < v_own.slowest from unnest(v_rivals) r)
      and sluice.has_deadlines(p_line, p_now, p_now + v_own.slowest * interval '1 second') then
      v_share.since := p_now + v_own.slowest * interval '1 second';
    end if;
    v_rivals := array(select r from unnest(v_rivals) r where r.price = v_own.price);
  end if;
  v_share.most := case
    when v_share.before is not null and not sluice.has_deadlines(p_line, p_now, v_share.before)
      then 0
    when v_rivals <> '{}'
      then sluice.chosen_calls(v_own, v_rivals, p_prefer, coalesce(p_want, 1)) end;
  if v_share.most = 0 and v_share.before is null and p_want is not null
    and sluice.is_to_be_tried(p_line, p_model.id) then
    v_share.most := 1;
  end if;
  return v_share;
end
$$;

-- note_chosen: note_routed for a line that chooses. The route's meter counts its tasks, a model's
-- is what that count was when it took its last one.
-- Params:  p_counts: whether the model could have taken more.
create or replace function sluice.note_chosen(
  p_line int, p_model int, p_weight double precision, p_taken int, p_counts boolean,
  p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_own sluice.meter := sluice.meter_of(p_line, p_model);
  v_route sluice.meter := sluice.meter_of(p_line, 0);
begin
  v_route.v := coalesce(v_route.v, 0) + p_taken;
  perform sluice.note_meter(p_line, p_model, p_now,
    case when p_taken > 0 then v_route.v else coalesce(v_own.v, v_route.v) end,
    case when p_counts then p_weight else 0 end);
  if p_taken > 0 then
    perform sluice.note_meter(p_line, 0, coalesce(v_route.at, p_now), v_route.v,
      coalesce(v_route.weight, 0));
    if sluice.in_flight(p_model) = 0 then
      perform sluice.note_speed_kept(p_model, p_now);
    end if;
  end if;
end
$$;
