-- The meters by which models share a route's tasks.
--
-- A meter counts in virtual time. A model's v goes up by 1 / weight with every task that it takes
-- from the line. The route's V goes up by 1 / W, where W is the sum of the weights of the models
-- that count. A model may take tasks until it is route_slack() of its tasks ahead of V. A model
-- that has been away resumes at most that far behind V: it does not make up for the time. If only
-- one model counts it may take everything.
-- A model counts if it asked within the last second, is open, has a permit and a call left, and was
-- kept from taking more only by its share. So no task waits for a model that cannot start it, that
-- no worker serves, that is at its limit (a model with a permit each 100 ms would slow the others
-- down to its pace), or that prefers its own tasks (because they have a better rank, or are older;
-- D-008).
-- Each tier of a route has a meter of its own: its models share what the tiers before leave to it
-- (routing_tiers.sql).
-- State: rows of the unlogged table sluice.meter, newest first. After a crash all begin equal. What
-- a row says depends on its column model:
--   above 0           a model's meter; weight: with which it counts, or 0; tenant: 1 while it is
--                     full: its last claim could not have taken more, because its worker has no
--                     more slots for it. It still counts within its tier, for the next slots
--   0, below -1000    the meter of a tier (tier_meter)
--   -1                where a look at a line's lanes ended: weight and tenant are the rank and the
--                     tenant of the lane (lanes.sql)
--   -2 to -6, -8 on   a part of the sweep that rests since `at`, for v seconds; 0 of line 0: when
--                     the last sweep was (5_lifecycle/sweep.sql)
--   -7                between which times deadlines wait (deadlines.sql)
--   -12               when free_route last looked

-- route_slack: how many of its own tasks a model may be ahead of its share: one of two models takes
-- 64 at once. The number is for each model, not for the route: of fifty models each would have one
-- task. It puts 10,000 tasks off by 0.3 points at most.
create or replace function sluice.route_slack() returns double precision
language sql immutable parallel safe
as $$ select 32::double precision $$;

-- asks_for: how long a model counts after it asked.
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

-- note_meter: writes a newer row. Requires the line's lock, but for note_deadlines.
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

-- meter_for: what stands for the model in meters that serve something else: of each line, where a
-- claim left the walk over its many lanes, and its deadlines (deadlines.sql); the others say how
-- long a part of the sweep rests (5_lifecycle/sweep_rests.sql), of a line or of all.
-- Returns: -1, -2, ...
create or replace function sluice.meter_for(p_purpose text) returns int
language sql immutable parallel safe
as $$
  select -array_position('{lanes, rescan_line, walk_lines, expire_due, settle_cancellations,
    advance_lines, deadlines, look_for_deadlines, forget_later_gone, walk_late,
    rescan_deadlines, free_route}'::text[], p_purpose)
$$;

-- tier_meter: the model by which the meter of a route's tier is known. (-1 to -12: meter_for.)
create or replace function sluice.tier_meter(p_tier int) returns int
language sql immutable parallel safe
as $$ select case p_tier when 1 then 0 else -1000 - p_tier end $$;

-- asking_models: the models that take from p_line, without p_model, and have asked within the time
-- for which that counts, each with its newest meter. They count if they may begin a call, too; that
-- is asked last, by the caller, of these few. Looks each up directly: calling meter_of and opens_at
-- for all of 1,000 took 14 ms.
create or replace function sluice.asking_models(p_line int, p_model int, p_now timestamptz)
returns table (model sluice.models, weight double precision, tier int, meter sluice.meter)
language sql stable
as $$
  select m, r.weight, r.tier, o.meter
  from sluice.route_line l join sluice.routes r on r.route = l.route and r.weight > 0
  join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
  cross join lateral (
    select o as meter, o.at, o.weight from sluice.meter o where o.line = p_line and o.model = m.id
    order by o.line, o.model, o.n desc limit 1) o
  where l.n = -p_line and m.id <> p_model
    and o.at > p_now - sluice.asks_for() and o.at <= p_now and o.weight > 0
$$;

-- route_weight: the sum of the weights of the models that take from p_line and count, without
-- p_model.
-- Params:  p_tier, p_last: those of these tiers; p_last null: of p_tier alone; else not those that
--          are full, but for models that p_worker serves: its slots are as good for them.
create or replace function sluice.route_weight(
  p_line int, p_model int, p_now timestamptz, p_tier int default 1, p_last int default null,
  p_worker bigint default null)
returns double precision
language plpgsql volatile
as $$
begin
  return (
    select coalesce(sum(s.weight), 0)
    from (select a.model, a.weight from sluice.asking_models(p_line, p_model, p_now) a
          where a.tier between p_tier and coalesce(p_last, p_tier)
            and (p_last is null or (a.meter).tenant is null or exists (
              select from sluice.worker w where w.id = p_worker and sluice.serves(w, a.model)))
          offset 0) s
    where sluice.opens_at(s.model, p_now) <= p_now);
end
$$;

-- sum_cheap_ms: how long it may take to sum up the weights of a route's models. A sum that took
-- longer is kept for 50 times as long more, so that summing takes 2 % of the claims' time.
create or replace function sluice.sum_cheap_ms() returns int
language sql immutable parallel safe
as $$ select 10 $$;

-- route_meter: the meter of a route's tier as it is for p_model, which counts in it. Its weight is
-- summed up anew when it is 100 ms old, or later if that takes longer than sum_cheap_ms(). In
-- between, the weight of a model that comes back or has another weight is added: if each of 1,000
-- models that ask in turn summed up all 1,000, a claim would take 50 s.
-- Params:  p_anew: sum up also when it is older than 10 ms, unless that took long; used when a
--          model would otherwise be held back.
create or replace function sluice.route_meter(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_anew boolean,
  p_now timestamptz, p_tier int default 1)
returns sluice.meter
language plpgsql volatile
as $$
declare
  v_meter sluice.meter := sluice.meter_of(p_line, sluice.tier_meter(p_tier));
  v_started timestamptz := clock_timestamp();
  v_counted double precision := case when p_own.at > p_now - sluice.asks_for()
    and p_own.at <= p_now then p_own.weight else 0 end;
  v_kept interval := case when p_anew then '10 ms' else '100 ms' end;
begin
  if v_meter.at between p_now - v_kept and p_now + interval '1 minute' then
    v_meter.weight := greatest(p_weight, v_meter.weight + p_weight - v_counted);
    return v_meter;
  end if;
  v_meter.v := coalesce(v_meter.v, 0);
  v_meter.weight := sluice.route_weight(p_line, p_model, p_now, p_tier);
  v_meter.at := p_now + greatest(interval '0',
    50 * (clock_timestamp() - v_started - sluice.sum_cheap_ms() * interval '1 ms'));
  perform sluice.note_meter(p_line, sluice.tier_meter(p_tier), v_meter.at, v_meter.v,
    v_meter.weight + v_counted);
  v_meter.weight := v_meter.weight + p_weight;
  return v_meter;
end
$$;

-- own_meter: p_model's meter relative to the route's: at most the slack behind it; equal to it
-- after a change of weights, and when the model did not count. Who was ahead before a pause still
-- is: else each rush of tasks after one would begin with the same model.
create or replace function sluice.own_meter(
  p_own sluice.meter, p_route sluice.meter, p_weight double precision)
returns double precision
language sql immutable
as $$
  select case when p_own.weight = p_weight
    then greatest(p_own.v, p_route.v - sluice.route_slack() / p_weight)
      else coalesce(p_route.v, 0) end
$$;

-- share_now: how many tasks a model may take by these meters: so many that it will be the slack
-- ahead of V afterwards. Null: any number.
create or replace function sluice.share_now(
  p_own sluice.meter, p_route sluice.meter, p_weight double precision)
returns int
language sql immutable
as $$
  select case when p_route.weight > p_weight then greatest(0, floor(least(1000000,
    (p_route.v + sluice.route_slack() / p_weight - sluice.own_meter(p_own, p_route, p_weight))
    / (1 / p_weight - 1 / p_route.weight))))::int end
$$;

-- free_route: the meter of a route's tier for p_model, which may take less by it than it wants. If
-- each model that counts may take less than half of the slack, V becomes their mean. That is so
-- when one that was behind counts no more: only what the others take moves V, so they would soon
-- wait for it for ever. Looks once in 100 ms, or later if that takes longer than sum_cheap_ms().
create or replace function sluice.free_route(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_route sluice.meter,
  p_now timestamptz, p_tier int)
returns sluice.meter
language plpgsql volatile
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_mean double precision;
begin
  if (sluice.meter_of(p_line, sluice.meter_for('free_route'))).at
    between p_now - interval '100 ms' and p_now + interval '1 minute' then
    return p_route;
  end if;
  select sum(c.weight * c.v) / sum(c.weight) into v_mean
  from (
    select p_weight as weight, sluice.own_meter(p_own, p_route, p_weight) as v
    union all
    select s.weight, sluice.own_meter(s.meter, p_route, s.weight)
    from (select a.* from sluice.asking_models(p_line, p_model, p_now) a
          where a.tier = p_tier offset 0) s
    where sluice.opens_at(s.model, p_now) <= p_now) c
  having not bool_or(p_route.v + sluice.route_slack() / c.weight - c.v
    >= sluice.route_slack() / 2 * (1 / c.weight - 1 / p_route.weight));
  perform sluice.note_meter(p_line, sluice.meter_for('free_route'), p_now + greatest(interval '0',
    50 * (clock_timestamp() - v_started - sluice.sum_cheap_ms() * interval '1 ms')), 0, 0);
  if v_mean > p_route.v then
    p_route.v := v_mean;
    perform sluice.note_meter(p_line, sluice.tier_meter(p_tier), p_route.at, p_route.v,
      p_route.weight);
  end if;
  return p_route;
end
$$;

-- ask_interval: a model that asks all the time notes it once in so long: four times in asks_for.
create or replace function sluice.ask_interval() returns interval
language sql immutable parallel safe
as $$ select interval '250 milliseconds' $$;

-- note_ask: notes that a model asks for tasks of route line p_line: it counts from now on, unless
-- its last claim within a second noted that it need not. Writes once in ask_interval at most.
-- Requires the line's lock.
-- Params:  p_own: its meter; p_prefer: what the route goes by: of one that chooses (choice.sql)
--          nothing is summed up, and who asks counts.
-- Returns: its meter now.
create or replace function sluice.note_ask(
  p_line int, p_model int, p_weight double precision, p_own sluice.meter, p_now timestamptz,
  p_prefer text default 'weight', p_tier int default 1)
returns sluice.meter
language plpgsql volatile
as $$
declare
  v_route sluice.meter;
  v_is_back boolean := coalesce(p_own.at <= p_now - sluice.asks_for() or p_own.at > p_now, true);
begin
  if not v_is_back and (p_own.weight = p_weight or p_own.weight = 0 and p_prefer = 'weight')
    and p_own.at > p_now - sluice.ask_interval() then
    return p_own;
  end if;
  if p_prefer <> 'weight' then
    p_own.v := coalesce(p_own.v, (sluice.meter_of(p_line, 0)).v, 0);
    p_own.weight := p_weight;
  elsif v_is_back or p_own.weight not in (0, p_weight) then
    v_route := sluice.route_meter(p_line, p_model, p_weight, p_own, false, p_now, p_tier);
    p_own.v := sluice.own_meter(p_own, v_route, p_weight);
    perform sluice.note_meter(p_line, sluice.tier_meter(p_tier), v_route.at, v_route.v,
      v_route.weight);
    p_own.weight := p_weight;
  end if;
  perform sluice.note_meter(p_line, p_model, p_now, p_own.v, p_own.weight);
  p_own.at := p_now;
  return p_own;
end
$$;
