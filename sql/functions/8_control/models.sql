-- Triggers for changes of models, routes and settings, and of what concerns workers in tenants.

-- before_model_changes: guards names, apis and ids, notes when limits change and when calls do, and
-- opens a model parked for its credentials or its address when these change. A new one knows
-- whether there are budgets. Takes no lock on the model, so that an open psql does not stop the
-- fleet.
-- Locks:   lock_name; for a new model waits for lock_class('budget') 1, shared, and keeps it.
create or replace function sluice.before_model_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  -- api_is_known
  c_apis constant text[] := array['solve', 'openai-chat', 'openai-responses', 'openai-embeddings',
    'anthropic-messages'];
  v_calls_change boolean;
  v_is_taken boolean;
begin
  if tg_op = 'INSERT' or new.name <> old.name then
    perform sluice.lock_name(new.name);
    v_is_taken := exists (select from sluice.routes where route = new.name);
  end if;
  if v_is_taken then
    raise exception '"%" is already the name of a route', new.name
      using errcode = '23505', column = 'name', hint = 'Names are unique over models and routes.';
  elsif new.api <> all (c_apis) then
    raise exception 'there is no api "%"', left(new.api, 200)
      using errcode = '23514', column = 'api',
        hint = 'It is one of ' || array_to_string(c_apis, ', ') || '.';
  end if;
  if tg_op = 'INSERT' then
    perform sluice.make_model(new.id);
    -- Behind other new models, for which that waits: who has added one may then make a budget.
    perform pg_advisory_xact_lock_shared(sluice.lock_class('budget'), 1);
    new.is_budgeted := exists (select from sluice.budgets);
  elsif new.id <> old.id then
    raise exception 'the id of model "%" names its queue table and cannot change', old.name
      using errcode = '23514';
  elsif (new.rpm, new.tpm, new.burst) is distinct from (old.rpm, old.tpm, old.burst) then
    new.limits_changed_at := clock_timestamp();
  end if;
  if tg_op = 'UPDATE' then
    v_calls_change := (new.api, new.url, new.upstream_model, new.secret, new.paths)
      is distinct from (old.api, old.url, old.upstream_model, old.secret, old.paths);
    -- An administrator who gives another key or address means to try it.
    if v_calls_change and sluice.was_parked_by_calls(new)
      and new.closed_reason not like 'billing: %' then
      new.closed_until := null;
      new.closed_reason := null;
    end if;
    -- An administrator's own reason stands: the error a call noted belonged to the one before.
    if new.closed_reason is distinct from old.closed_reason
      and new.closed_detail is not distinct from old.closed_detail then
      new.closed_detail := null;
    end if;
    -- a new one has none to change
    if v_calls_change and coalesce(sluice.counter('claimed', old.id) > 0, true)
       or (sluice.was_parked_by_calls(old) and new.closed_until is distinct from old.closed_until)
         then
      new.calls_changed_at := clock_timestamp();
    end if;
  end if;
  return new;
end
$$;

-- after_model_changes: adds a new model to route "any"; creates its routes' lines for another api;
-- gives its lines another order; has what names it follow its name, also calls that are not
-- settled; writes sluice.breaker_events when it is parked or opened; notifies workers of changes
-- that concern them.
-- Locks:   waits for a model's lock if that gets another name: a claim under way has its old one,
--          under which it would find no price, and hold what nobody settles.
create or replace function sluice.after_model_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  v_was_parked boolean := tg_op = 'UPDATE' and coalesce(old.closed_until = 'infinity', false);
  v_is_parked boolean := tg_op = 'UPDATE' and coalesce(new.closed_until = 'infinity', false);
begin
  if tg_op = 'INSERT' and new.api <> 'openai-embeddings' then
    insert into sluice.routes (route, model) values ('any', new.name) on conflict do nothing;
  elsif tg_op = 'UPDATE' and new.api <> old.api then
    perform sluice.make_route_line(r.route, new.api) from sluice.routes r where r.model = new.name;
    perform sluice.make_route_line(r.route, new.api, s.version) from sluice.routes r
    join sluice.payload_schema s on s.target = r.route where r.model = new.name;
  end if;
  if tg_op = 'UPDATE' and new.name <> old.name then
    perform pg_advisory_xact_lock(sluice.lock_class('model'), new.id);
    perform sluice.follow_name(old.name, new.name);
    update sluice.payload_schema set target = new.name where target = old.name;
    update sluice.budget_call set model = new.name where model = old.name and state <> 'spent';
  end if;
  if tg_op <> 'DELETE' and new.claim_order
    is distinct from (case when tg_op = 'UPDATE' then old.claim_order else 'arrival' end) then
    perform sluice.make_functions(l) from unnest(sluice.lines_for(new)) l;
  end if;
  if tg_op = 'UPDATE' and new.max_queue is distinct from old.max_queue then
    perform sluice.invalidate_line_gauges(new.name);
  end if;
  -- its gauge goes by other numbers
  if tg_op = 'UPDATE' and new.max_unfinished is distinct from old.max_unfinished then
    perform sluice.set_counter('load', new.id, sluice.gauge_unknown());
  end if;
  if v_is_parked <> v_was_parked then
    perform sluice.note_transition(new.id, case when v_was_parked then 'parked' else b.state end,
      case when v_is_parked then 'parked' else b.state end,
      case when v_is_parked then sluice.parked_for(new.closed_reason)
        else 'it was opened' end, clock_timestamp())
    from (select coalesce((select state from sluice.breaker where model = new.id),
      'closed') as state) b;
  end if;
  perform sluice.notify('sluice_config', '');
  return null;
end
$$;

-- after_model_is_gone: drops the resources of a deleted model when the deletion commits, so that an
-- open psql does not hold their locks. A submit in between makes the deletion fail, and a later one
-- is refused.
-- Locks:   first those of tick and sweep, which go through all models, then the model's relations.
--          These have no order, because others lock them as they come to them. So all are only
--          tried, 100 times for 20 ms each: this is far below deadlock_timeout, so it cannot
--          deadlock, and nobody waits for longer behind it.
-- Errors:  55P03: it is in use; as drop_model.
create or replace function sluice.after_model_is_gone() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
set lock_timeout = '20ms'
as $$
begin
  perform sluice.keep_default(old.name);
  for v_try in 1 .. 100 loop
    begin
      perform pg_advisory_xact_lock(sluice.lock_class('tick'), 0),
        pg_advisory_xact_lock(sluice.lock_class('sweep'), 0);
      perform sluice.drop_model(old.id, old.name);
      return null;
    exception when lock_not_available then
      perform pg_sleep(0.02);
    end;
  end loop;
  raise exception 'model "%" is in use', old.name using errcode = '55P03',
    hint = 'A transaction that is open has used it (pg_stat_activity), or a tick or a sweep, '
           'which go through all models, takes long. Delete it again later.';
end
$$;

-- before_route_changes: keeps names unique over models and routes; creates a route's lines
-- (2_storage/lines.sql). Another model of a route goes by what the route goes by.
create or replace function sluice.before_route_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.lock_name(new.route)
  where not exists (select from sluice.routes where route = new.route);
  if exists (select from sluice.models where name = new.route) then
    raise exception '"%" is already the name of a model', new.route
      using errcode = '23505', column = 'route', hint = 'Names are unique over models and routes.';
  end if;
  if tg_op = 'INSERT' and new.prefer = 'weight' then
    new.prefer := coalesce((select r.prefer from sluice.routes r where r.route = new.route limit 1),
      'weight');
  end if;
  perform sluice.make_route_line(new.route, null), sluice.make_route_line(new.route, m.api)
    from sluice.models m where m.name = new.model;
  perform sluice.make_route_line(new.route, a.api, s.version)
  from sluice.payload_schema s cross join (select null as api union
    select m.api from sluice.models m where m.name = new.model) a
  where s.target = new.route;
  perform sluice.invalidate_line_gauges(null, new.route);
  return new;
end
$$;

-- keep_default: 23503 if settings.default_model names a model or route that no longer exists.
-- (Route "any" exists without models, too.)
create or replace function sluice.keep_default(p_name text) returns void
language plpgsql volatile
as $$
begin
  if p_name <> 'any' and p_name = sluice.default_model()
     and not exists (select from sluice.models where name = p_name)
       and not exists (select from sluice.routes where route = p_name) then
    raise exception 'settings.default_model is "%"', p_name using errcode = '23503',
      hint = 'Set another one first, or null: tasks without a model are refused then.';
  end if;
end
$$;

-- after_route_changes: drops the lines of a route that has lost its last model. At commit, so that
-- an open psql stops nobody; if a lock is not available within 20 ms the lines stay, because
-- readers and claims wait behind it.
create or replace function sluice.after_route_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
set lock_timeout = '20ms'
as $$
begin
  if not exists (select from sluice.routes where route = old.route) then
    if tg_op = 'DELETE' then
      delete from sluice.fallbacks where target = old.route;
      perform sluice.keep_default(old.route);
    end if;
    perform sluice.try_drop_route(old.route);
  end if;
  return null;
exception when lock_not_available then
  return null;
end
$$;

-- before_settings_change: default_model must name a model or a route.
create or replace function sluice.before_settings_change() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  if not sluice.keep_name(new.default_model) and new.default_model <> 'any' then
    perform sluice.refuse_unknown(new.default_model, 'default_model');
  end if;
  return new;
end
$$;

-- refuse_without_settings: settings must keep its one row: without it nothing would be accepted,
-- and no error would say why.
create or replace function sluice.refuse_without_settings() returns trigger
language plpgsql
set search_path = sluice, pg_temp
as $$
begin
  raise exception 'sluice.settings is one row, and it stays' using errcode = '23514',
    hint = 'To have the defaults again: update sluice.settings set retention = default, ...';
end
$$;

-- tell_workers: notifies workers of a change in settings, routes or tenants' quotas: a model may
-- now take tasks of a route, or of a tenant, that wait already.
create or replace function sluice.tell_workers() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.notify('sluice_config', '');
  return null;
end
$$;

create or replace trigger before_model_changes before insert or update on sluice.models
  for each row execute function sluice.before_model_changes();
create or replace trigger after_model_inserted_or_deleted after insert or delete on sluice.models
  for each row execute function sluice.after_model_changes();
create or replace trigger after_model_updated after update on sluice.models
  for each row when (old.* is distinct from new.*) execute function sluice.after_model_changes();
create or replace trigger before_settings_change before update of default_model on sluice.settings
  for each row
    when (new.default_model is distinct from old.default_model) execute function
    sluice.before_settings_change();
create or replace trigger refuse_without_settings before delete or truncate on sluice.settings
  for each statement execute function sluice.refuse_without_settings();
create or replace trigger after_settings_change after update on sluice.settings
  for each row when (old.* is distinct from new.*) execute function sluice.tell_workers();
create or replace trigger after_tenant_quota_changed after update on sluice.tenants
  for each row when ((old.name, old.rpm, old.tpm) is distinct from (new.name, new.rpm, new.tpm))
  execute function sluice.tell_workers();
create or replace trigger after_tenant_quota_deleted after delete on sluice.tenants
  for each row when (num_nonnulls(old.rpm, old.tpm) > 0) execute function sluice.tell_workers();
create or replace trigger before_route_changes before insert or update on sluice.routes
  for each row execute function sluice.before_route_changes();
create or replace trigger after_route_is_joined after insert or update on sluice.routes
  for each row when (new.weight > 0) execute function sluice.after_route_is_joined();
create or replace trigger after_route_weight after insert or update on sluice.routes
  for each row when (new.weight > 0) execute function sluice.tell_workers();
-- Constraint triggers have no "or replace"; dropping one would wait for every reader of its table.
do $$
begin
  if not exists (select from pg_trigger where tgname = 'after_model_is_gone') then
    create constraint trigger after_model_is_gone after delete on sluice.models deferrable
      initially deferred for each row execute function sluice.after_model_is_gone();
  end if;
  if not exists (select from pg_trigger where tgname = 'after_route_changes'
    and tgrelid = 'sluice.routes'::regclass) then
    create constraint trigger after_route_changes after delete or update of route on sluice.routes
      deferrable initially deferred for each row execute function sluice.after_route_changes();
  end if;
end
$$;
