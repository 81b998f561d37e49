-- given_speed: what is known of a model: seconds of an output token, and of a slow call of 100.
create function given_speed(
  p_model text, p_seconds float8, p_now timestamptz default at(0), p_slowest float8 default null)
returns void language sql
as $$
  insert into sluice.speed (model, n, at, seconds, tokens, solved, slowest)
  values (id_of(p_model), nextval('sluice.mark_id'), p_now, 1000 * p_seconds, 1000, 10,
    coalesce(p_slowest, 100 * p_seconds))
$$;
-- given_choice: a new route over models that prefers p_prefer; returns its name.
create function given_choice(p_prefer text, variadic p_models text[]) returns text
  language plpgsql
as $$
declare
  v_route text := given_route(variadic p_models);
begin
  update sluice.routes set prefer = p_prefer where route = v_route;
  return v_route;
end
$$;
-- calls: how many leases each model has, by name.
create function calls(variadic p_models text[]) returns int[] language sql
as $$
  select array_agg((select count(*)::int from sluice.lease l where l.model = id_of(m.name))
    order by m.place)
  from unnest(p_models) with ordinality m(name, place)
$$;
-- trickled: p_count tasks of a route, each claimed as it comes, 50 ms apart; none ends.
create function trickled(p_route text, p_worker bigint, p_count int, p_start numeric default 1)
returns void language plpgsql
as $$
begin
  for n in 1 .. p_count loop
    perform given_task(p_route, p_now => at(p_start + n * 0.05));
    perform sluice.claim(p_worker, null, 100, at(p_start + n * 0.05));
  end loop;
end
$$;
-- price: sets what a call of a model costs.
create function price(p_model text, p_price numeric) returns void language sql
as $$
  insert into sluice.prices (model, valid_from, input, output, per_request)
  values (p_model, 'epoch', 0, 0, p_price * 1000000)
$$;
