-- The configuration: as workers read it and as administrators write it.

-- configuration: what a worker needs: the settings and the models it serves.
-- Params:  models: names (null: all).
-- Returns: one row a model; with none, one row whose model is null.
--
-- It is a function, so that no worker needs a grant on a table; it returns whole rows, so that a
-- new column needs no change here.
create or replace function sluice.configuration(models text[] default null)
returns table (settings sluice.settings, model sluice.models)
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return query select s, m from sluice.settings s
    left join sluice.models m on configuration.models is null
      or m.name = any (configuration.models);
end
$$;

-- Configuration by name and JSON: what the HTTP front and scripts use in place of UPDATE.

-- configure: sets columns of a model, a tenant or the settings. Plain INSERT and UPDATE do the
-- same.
-- Params:  kind: models, tenants, budgets or settings; name: the model's, tenant's or budget's;
--          settings: an object of columns, and reason: why, for the revision; replace: create the
--          row if it does not exist, and reset the columns left out to their defaults. A change
--          with another name renames it. A budget's limit may be given in place of limit_nanos, in
--          whole units.
-- Returns: the row afterwards; null when there is none and replace is false.
-- Errors:  SL001 default_model does not exist; SL004 no object, unknown keys, values of another
--          type, a duration without a unit; 23xxx as plain SQL. COLUMN is the key at fault.
create or replace function sluice.configure(kind text, name text, settings jsonb, replace boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_columns text[] := sluice.configurable_columns(configure.kind);
  v_changes jsonb := configure.settings;
  v_reason text := current_setting('sluice.reason', true);
  v_row jsonb;
begin
  if jsonb_typeof(v_changes) = 'object' and v_changes ? 'reason' then
    perform sluice.give_reason(v_changes ->> 'reason');
    v_changes := v_changes - 'reason';
  end if;
  if configure.kind not in ('models', 'tenants', 'budgets', 'settings') then
    raise exception '"%" is not configured so', left(configure.kind, 200) using errcode = 'SL004',
      hint = 'It is models, tenants, budgets or settings.';
  end if;
  if configure.kind = 'budgets' then
    v_changes := sluice.budget_changes(v_changes, v_columns);
  end if;
  perform sluice.check_columns(v_changes, v_columns);
  perform sluice.check_durations(configure.kind, v_changes);
  if configure.replace and v_changes ->> 'name' <> configure.name then
    raise exception 'the name "%" is not the path''s', left(v_changes ->> 'name', 200)
      using errcode = 'SL004', column = 'name',
      hint = 'To rename it, change it, and do not replace it.';
  end if;
  begin
    v_row := sluice.write_row(configure.kind, configure.name, v_changes, configure.replace,
      v_columns);
  exception when data_exception then
    perform sluice.check_types(configure.kind, v_changes);
    raise;
  end;
  perform sluice.give_reason(v_reason);
  if v_row is not null then
    perform sluice.note_audit(case when configure.replace then 'replace '
      else 'change ' end || configure.kind, configure.name, configure.settings);
  end if;
  return v_row - sluice.hidden_columns();
end
$$;

-- write_row: configure's statements. Returns the row, or null.
create or replace function sluice.write_row(
  p_table text, p_name text, p_values jsonb, p_replace boolean, p_columns text[])
returns jsonb
language plpgsql volatile
as $$
declare
  -- Kept unless given: in what state a model is, and who may act for a tenant, which nobody is to
  -- open by leaving it out.
  c_kept constant text[] :=
    '{name,paused,closed_until,closed_reason,closed_detail,role,default_role}';
  v_row jsonb;
begin
  execute format('update sluice.%1$I c set %2$s from jsonb_populate_record(null::sluice.%1$I, $2) '
                 'g where %3$s returning to_jsonb(c)',
    p_table, (select string_agg(case when p_values ? k then format('%I = g.%1$I', k)
                                     when p_replace and k <> all (c_kept)
                                       then format('%I = default', k)
                                     else format('%I = c.%1$I', k) end, ', ')
                                       from unnest(p_columns) k),
    case when p_table = 'settings' then 'c.one' else 'c.name = $1' end)
  into v_row using p_name, p_values;
  if v_row is null and p_replace then
    p_values := jsonb_build_object('name', p_name) || p_values;
    execute format('insert into sluice.%1$I (%2$s) select %2$s
      from jsonb_populate_record(null::sluice.%1$I, $1)
        returning to_jsonb(%1$I)', p_table,
      (select string_agg(format('%I', k), ', ') from jsonb_object_keys(p_values) k))
    into v_row using p_values;
  end if;
  return v_row;
end
$$;

-- configure_route: gives a route these models and no other.
-- Params:  route: its name; models: {"model": weight}, or {"model": {"weight": 1, "tier": 2}}, of
--          which either may be left out; empty: deletes the route. A tier that is not given stays,
--          or is 1.
-- Errors:  SL001 no such model; SL004 no object, an invalid weight or tier; 23503 it is
--          settings.default_model; 23xxx as plain SQL. COLUMN is the model at fault.
create or replace function sluice.configure_route(route text, models jsonb) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_wrong record;
begin
  if jsonb_typeof(configure_route.models) is distinct from 'object' then
    raise exception 'models is a JSON %, not an object', jsonb_typeof(configure_route.models)
      using errcode = 'SL004',
      hint = 'It is a set of models and weights, such as {"gpt": 0.3, "claude": 0.7}.';
  end if;
  select left(m.key, 200) as key, left(m.value::text, 100) as value, n.name is null as unknown
  into v_wrong
  from jsonb_each(configure_route.models) m left join sluice.models n on n.name = m.key
  where n.name is null or not sluice.is_place_in_route(m.value)
  order by n.name is not null, m.key limit 1;
  if v_wrong.unknown then
    raise exception 'there is no model "%"', v_wrong.key using errcode = 'SL001',
      column = v_wrong.key, hint = sluice.names_text();
  elsif not v_wrong.unknown then
    raise exception 'the weight of "%" is %', v_wrong.key, v_wrong.value using errcode = 'SL004',
      column = v_wrong.key, hint = 'It is a number of at least 0, or an object of weight and tier, '
        'a whole number from 1 to 100.';
  end if;
  delete from sluice.routes r where r.route = configure_route.route
    and not configure_route.models ? r.model;
  insert into sluice.routes as r (route, model, weight, tier)
  select configure_route.route, m.key, coalesce(p.weight, 1), coalesce(p.tier, o.tier, 1)
  from jsonb_each(configure_route.models) m
  cross join lateral jsonb_to_record(case jsonb_typeof(m.value) when 'object' then m.value
    else jsonb_build_object('weight', m.value) end) p(weight real, tier int)
  left join sluice.routes o on o.route = configure_route.route and o.model = m.key
  on conflict (route, model) do update set weight = excluded.weight, tier = excluded.tier
    where (r.weight, r.tier) <> (excluded.weight, excluded.tier);
  perform sluice.note_audit('configure_route', configure_route.route, configure_route.models);
end
$$;

-- is_place_in_route: whether a value says what configure_route wants to know of a model.
create or replace function sluice.is_place_in_route(p_value jsonb) returns boolean
language sql immutable
as $$
  select case jsonb_typeof(p_value)
    when 'number' then (p_value #>> '{}')::numeric between 0 and 3e38
    when 'object' then p_value - '{weight, tier}'::text[] = '{}'
      and case jsonb_typeof(p_value -> 'weight') when 'number'
        then (p_value ->> 'weight')::numeric between 0 and 3e38 else not p_value ? 'weight' end
      and case jsonb_typeof(p_value -> 'tier') when 'number'
        then (p_value ->> 'tier')::numeric between 1 and 100
          and (p_value ->> 'tier')::numeric % 1 = 0 else not p_value ? 'tier' end
    else false end
$$;
