-- Configuration by name and JSON: what the HTTP front and scripts use in place of UPDATE.

-- configurable_columns: what configure() may set of a table: not its key, not what is a state and no setting.
create or replace function sluice.configurable_columns(p_table text) returns text[]
language plpgsql stable
as $$
begin
  return array(select a.attname::text from pg_attribute a
    where a.attrelid = to_regclass('sluice.' || quote_ident(p_table)) and a.attnum > 0 and not a.attisdropped
      and a.attname <> all (array['name', 'id', 'limits_changed_at', 'calls_changed_at', 'paused', 'closed_until', 'closed_reason'])
    order by a.attnum);
end
$$;

-- configure: sets settings of a model or a tenant.
-- Params:  kind: models or tenants; name; settings: an object of columns; replace: make it if it is not there, and give
--          defaults to the columns left out.
-- Returns: the row as it is then, null when there is none and replace is false.
-- Errors:  SL004 unknown keys, or no object; 22xxx and 23xxx as plain SQL.
create or replace function sluice.configure(kind text, name text, settings jsonb, replace boolean) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_columns text[] := sluice.configurable_columns(configure.kind);
  v_given text[];
  v_row jsonb;
begin
  if configure.kind not in ('models', 'tenants') or jsonb_typeof(configure.settings) <> 'object' then
    raise exception 'settings is a JSON %, not an object', jsonb_typeof(configure.settings) using errcode = 'SL004',
      hint = 'Its keys are the columns of sluice.' || configure.kind || '.';
  end if;
  v_given := array(select jsonb_object_keys(configure.settings));
  if not v_given <@ v_columns then
    raise exception 'unknown key "%"', (select min(k) from unnest(v_given) k where k <> all (v_columns))
      using errcode = 'SL004', hint = 'The keys are: ' || array_to_string(v_columns, ', ') || '.';
  end if;
  execute format('update sluice.%1$I c set %2$s from jsonb_populate_record(null::sluice.%1$I, $2) g where c.name = $1
      returning to_jsonb(c)', configure.kind,
    (select string_agg(case when k = any (v_given) then format('%I = g.%1$I', k)
                            when configure.replace then format('%I = default', k)
                            else format('%I = c.%1$I', k) end, ', ') from unnest(v_columns) k))
  into v_row using configure.name, configure.settings;
  if v_row is null and configure.replace then
    execute format('insert into sluice.%1$I (name%2$s) select $1%3$s from jsonb_populate_record(null::sluice.%1$I, $2) g
        returning to_jsonb(%1$I)', configure.kind,
      (select string_agg(format(', %I', k), '') from unnest(v_given) k),
      (select string_agg(format(', g.%I', k), '') from unnest(v_given) k))
    into v_row using configure.name, configure.settings;
  end if;
  if v_row is not null then
    perform sluice.note_audit(case when configure.replace then 'replace ' else 'change ' end || configure.kind,
      configure.name, configure.settings);
  end if;
  return v_row - array['id', 'limits_changed_at', 'calls_changed_at'];
end
$$;

-- configure_route: gives a route these models and no other.
-- Params:  route; models: {"model": weight}; empty: the route is no more.
-- Errors:  SL004 no object; 23503 no such model; 22xxx, 23xxx as plain SQL.
create or replace function sluice.configure_route(route text, models jsonb) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  if jsonb_typeof(configure_route.models) <> 'object' then
    raise exception 'models is a JSON %, not an object', jsonb_typeof(configure_route.models) using errcode = 'SL004',
      hint = 'It is a set of models and weights, such as {"gpt": 0.3, "claude": 0.7}.';
  end if;
  delete from sluice.routes r where r.route = configure_route.route and not configure_route.models ? r.model;
  insert into sluice.routes as r (route, model, weight)
  select configure_route.route, m.key, m.value::real from jsonb_each_text(configure_route.models) m
  on conflict (route, model) do update set weight = excluded.weight where r.weight <> excluded.weight;
  perform sluice.note_audit('configure_route', configure_route.route, configure_route.models);
end
$$;
