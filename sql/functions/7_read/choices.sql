-- Which model a route would choose now, and why: for people.

-- route_choices: the models of routes, with what decides among them now (routes.prefer).
-- Params:  route: its name; null: all routes.
-- Returns: for each model its route's prefer, its weight, and its share of the route's calls by
--          what is known now: of the first tier's that can be called, and of cost, of the
--          cheapest;
--          ms_per_token: of the answers of late (null: not known); in_flight: its calls under way;
--          price: of a call of 750 input and 250 output tokens (null: not known); slow_s: how long
--          a slow call took of late; blocked: why it cannot be called now (null: it can).
create or replace function sluice.route_choices(
  route text default null, p_now timestamptz default null)
returns setof sluice.route_choice
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  perform sluice.require_collation(route_choices.route);
  return query
  with rival as materialized (
    select r.route, r.tier, r.model, r.prefer, r.weight, sluice.rival_of(m, v_now) as rival,
      coalesce(sluice.closed_text(m, v_now), sluice.unserved_text(m, v_now),
        case when sluice.permits_now(m, v_now) <= 0 then sluice.permit_text(m, null, v_now) end)
        as blocked
    from sluice.routes r join sluice.models m on m.name = r.model
    where coalesce(r.route = route_choices.route, true)),
  compared as materialized (
    select r.*, r.blocked is null and r.weight > 0 as can,
      sluice.strength(r.rival, r.prefer, avg((r.rival).price) filter (
        where (r.rival).price < 'infinity') over (partition by r.route, r.tier)) as strength,
      min((r.rival).price) filter (where r.blocked is null and r.weight > 0)
        over (partition by r.route, r.tier) as least,
      min(r.tier) filter (where r.blocked is null and r.weight > 0)
        over (partition by r.route) as first_tier
    from rival r),
  chosen as materialized (
    select c.*, c.can and c.tier = c.first_tier
      and (c.prefer <> 'cost' or (c.rival).price <= c.least) as takes
    from compared c),
  counted as materialized (
    select c.*, case when not c.takes then 0
        when c.prefer = 'weight' then c.weight
        when bool_or(c.takes and c.strength is not null) over (partition by c.route)
          then coalesce(c.strength, 0)
        else 1 end as part
    from chosen c)
  select c.route, c.model, c.prefer, c.weight,
    coalesce(c.part / nullif(sum(c.part) over (partition by c.route), 0), 0),
    (c.rival).seconds * 1000, (c.rival).calls,
    case when (c.rival).price < 'infinity'
      then sluice.in_units(round((c.rival).price::numeric)) end,
    nullif((c.rival).slowest, 0), c.blocked
  from counted c order by c.route, c.model;
end
$$;

-- choice_text: how a route that does not go by weights shares its tasks now, the model that has
-- most first, at most 5; empty: it goes by weights.
create or replace function sluice.choice_text(p_route text, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_prefer text := (select r.prefer from sluice.routes r where r.route = p_route limit 1);
begin
  if coalesce(v_prefer, 'weight') = 'weight' then
    return '';
  end if;
  return (
    select format('; by %s: ', v_prefer) || sluice.some_text(array_agg(
      format('%s %s %% (%s)', c.model, round(100 * c.share), concat_ws(', ',
        case when v_prefer <> 'latency' then coalesce('price ' || c.price, 'no price') end,
        coalesce(round(c.ms_per_token::numeric, 2) || ' ms a token', 'speed not known'),
        case when v_prefer = 'cost' then 'a slow call takes ' || round(c.slow_s::numeric, 1)
          || ' s' end,
        c.in_flight || ' under way'))
      order by c.share desc, c.model))
    from sluice.route_choices(p_route, p_now) c where c.weight > 0);
end
$$;
