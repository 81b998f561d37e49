-- What follows when a route begins, or ceases, to choose among its models (4_policy/choice.sql).

-- after_route_prefers: keeps routes.prefer the same in all rows of a route, and models.is_compared.
create or replace function sluice.after_route_prefers() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  if tg_op <> 'DELETE' then
    update sluice.routes r set prefer = new.prefer
    where r.route = new.route and r.prefer <> new.prefer;
  end if;
  update sluice.models m set is_compared = not m.is_compared
  where m.name = any (array[case when tg_op <> 'INSERT' then old.model end,
      case when tg_op <> 'DELETE' then new.model end])
    and m.is_compared <> exists (
      select from sluice.routes r where r.model = m.name and r.prefer <> 'weight');
  return null;
end
$$;

create or replace trigger after_route_prefers
  after insert or delete or update of route, model, prefer on sluice.routes
  for each row execute function sluice.after_route_prefers();

-- set_prefer: what decides which of its models takes a route's task. Plain UPDATE does the same.
-- Params:  route: its name; prefer: weight, cost, latency or balanced.
-- Errors:  SL006 no such route; SL004 prefer is null; 23514 it is none of these.
create or replace function sluice.set_prefer(route text, prefer text) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  if set_prefer.prefer is null then
    raise exception 'prefer is missing' using errcode = 'SL004', column = 'prefer',
      hint = 'It is weight, cost, latency or balanced.';
  end if;
  update sluice.routes r set prefer = set_prefer.prefer where r.route = set_prefer.route;
  if not found then
    raise exception 'there is no route "%"', left(set_prefer.route, 200) using errcode = 'SL006',
      hint = sluice.names_text();
  end if;
  perform sluice.note_audit('set_prefer', set_prefer.route,
    jsonb_build_object('prefer', set_prefer.prefer));
end
$$;
