-- Shadows as administrators start, read and end them.

-- shadows_open_max: how many shadows may be open: each reads the calls for itself.
create or replace function sluice.shadows_open_max() returns int
language sql immutable parallel safe
as $$ select 10 $$;

-- make_change: what a shadow is to change, in force. A route's models that are not named keep their
-- weights.
-- Errors:  SL001 there is no such thing; as configure and configure_route.
create or replace function sluice.make_change(p_kind text, p_name text, p_changes jsonb)
returns void
language plpgsql volatile
as $$
declare
  v_weights jsonb;
begin
  if p_kind = 'routes' then
    v_weights := (select jsonb_object_agg(r.model, r.weight) from sluice.routes r
      where r.route = p_name);
    perform sluice.configure_route(p_name, v_weights || p_changes) where v_weights is not null;
  elsif sluice.configure(p_kind, p_name, p_changes, false) is not null then
    return;
  end if;
  if v_weights is null then
    raise exception 'there is no % "%"', rtrim(p_kind, 's'), left(p_name, 200)
      using errcode = 'SL001', column = 'name',
      hint = 'sluice ' || rtrim(p_kind, 's') || ' ls lists what there is.';
  end if;
end
$$;

-- check_change: refuses a change that could not be applied now: it is made, and undone.
-- Errors:  as make_change; SL004 it has no shadow.
create or replace function sluice.check_change(p_kind text, p_name text, p_changes jsonb)
returns void
language plpgsql volatile
as $$
declare
  v_is_made boolean := false;
begin
  if coalesce(p_kind, '') not in ('models', 'tenants', 'budgets', 'routes') then
    raise exception 'there are no shadows of "%"', coalesce(left(p_kind, 200), 'null')
      using errcode = 'SL004', column = 'kind',
      hint = 'There are shadows of models, tenants, budgets and routes.';
  elsif jsonb_typeof(p_changes) is distinct from 'object' or p_changes = '{}' then
    raise exception 'nothing is to change' using errcode = 'SL004', column = 'changes',
      hint = 'Such as {"rpm": 300}; of a route {"model": 0.3}.';
  elsif exists (select from sluice.budgets b where p_kind = 'budgets' and b.name = p_name
    and b.period = 'rolling') then
    raise exception 'budget "%" rolls, and has no shadow', left(p_name, 200)
      using errcode = 'SL004', column = 'name', hint = 'Those of a day, week or month have.';
  elsif p_kind <> 'routes' then
    perform sluice.check_columns(p_changes, case p_kind when 'models' then '{rpm,tpm,burst}'
      when 'tenants' then '{rpm,tpm}' else '{limit_nanos,is_hard,at_limit}' end::text[]);
  end if;
  begin
    perform sluice.make_change(p_kind, p_name, p_changes);
    v_is_made := true;
    raise exception 'undone';
  exception when raise_exception then
    if not v_is_made then
      raise;
    end if;
  end;
end
$$;

-- start_shadow: counts from now on what a change would do, and changes nothing.
-- Params:  kind, name: models, tenants, budgets or routes, and of which; changes: an object of
--          columns: rpm, tpm and burst of a model, rpm and tpm of a tenant, limit_nanos, is_hard
--          and at_limit of a budget; of a route models and their weights (the others keep theirs);
--          reason: for whoever reads it.
-- Returns: the shadow's id.
-- Errors:  SL001 there is nothing of that name; SL003 10 shadows are open; SL004 a change that has
--          no shadow; 23xxx one that would be refused.
create or replace function sluice.start_shadow(
  kind text, name text, changes jsonb, reason text default null, p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_budget sluice.budgets;
  v_id bigint;
begin
  perform sluice.check_change(start_shadow.kind, start_shadow.name, start_shadow.changes);
  if (select count(*) from sluice.shadow s where s.ended_at is null)
    >= sluice.shadows_open_max() then
    raise exception '% shadows are open', sluice.shadows_open_max() using errcode = 'SL003',
      hint = 'Apply or drop one.';
  end if;
  delete from sluice.shadow s where s.ended_at is not null
    and s.id <= (select max(m.id) from sluice.shadow m) - sluice.ramps_kept_max();
  v_budget := (select b from sluice.budgets b
    where b.name = start_shadow.name and start_shadow.kind = 'budgets');
  insert into sluice.shadow (kind, name, changes, reason, who, api_key, started_at, looked_at,
    attempt, spent, spent_from)
  values (start_shadow.kind, start_shadow.name, start_shadow.changes,
    left(start_shadow.reason, 1000), session_user, sluice.caller_key(), v_now, v_now,
    sluice.attempts_since(),
    (select s.total - s.held from sluice.budget_sums(v_budget, v_now) s where v_budget.id > 0),
    case when v_budget.id > 0 then sluice.window_from(v_budget, v_now) end)
  returning id into v_id;
  perform sluice.note_audit('start_shadow', start_shadow.name, jsonb_build_object('shadow', v_id,
    'kind', start_shadow.kind, 'changes', start_shadow.changes, 'reason', start_shadow.reason));
  return v_id;
end
$$;

-- end_shadow: applies or drops a shadow. Returns the state afterwards.
-- Errors:  SL006 there is no open one of that id; as make_change.
create or replace function sluice.end_shadow(
  p_id bigint, p_state text, p_reason text, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v sluice.shadow;
  v_before text;
begin
  select s.* into v from sluice.shadow s where s.id = p_id and s.ended_at is null for update;
  if not found then
    raise exception 'there is no open shadow %', p_id using errcode = 'SL006', column = 'id',
      hint = 'sluice shadow ls lists what there is.';
  end if;
  perform sluice.note_audit(case p_state when 'applied' then 'apply_shadow' else 'drop_shadow' end,
    p_id::text, jsonb_build_object('reason', p_reason));
  p_reason := coalesce(p_reason, v.reason);
  if p_state = 'applied' then
    v_before := sluice.give_reason(format('shadow %s', p_id) || coalesce(': ' || p_reason, ''));
    perform sluice.make_change(v.kind, v.name, v.changes);
    perform sluice.give_reason(v_before);
  end if;
  update sluice.shadow s set state = p_state, ended_at = p_now, reason = left(p_reason, 1000)
  where s.id = p_id;
  return p_state;
end
$$;

-- apply_shadow: makes the change of a shadow, and ends it.
-- Params:  id: the shadow's; reason: for the revision (null: the shadow's).
-- Returns: the state afterwards: applied.
-- Errors:  SL006 there is no open one of that id; as configure and configure_route.
create or replace function sluice.apply_shadow(
  id bigint, reason text default null, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.end_shadow(apply_shadow.id, 'applied', apply_shadow.reason,
    sluice.now_for(p_now));
end
$$;

-- drop_shadow: ends a shadow, and changes nothing.
-- Params:  id: the shadow's; reason: for whoever reads it.
-- Returns: the state afterwards: dropped.
-- Errors:  SL006 there is no open one of that id.
create or replace function sluice.drop_shadow(
  id bigint, reason text default null, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.end_shadow(drop_shadow.id, 'dropped', drop_shadow.reason, sluice.now_for(p_now));
end
$$;

-- shadows: the shadows, the newest first, and what they have counted.
-- Params:  id: only this one; null: all.
-- Returns: rows; of the calls since it was started: delayed: how many would have begun later, and
--          delay_s by how much in all; refused; moved: that another model would have had.
create or replace function sluice.shadows(id bigint default null)
returns setof sluice.shadow_row
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return query
  select s.id, s.kind, s.name, s.changes, s.state, s.reason, h.calls, h.delayed, h.delay_s,
    h.refused, h.moved, s.looked_at,
    case when s.api_key is null then s.who::text else format('key %s via %s', s.api_key, s.who) end,
    s.started_at, s.ended_at
  from sluice.shadow s cross join lateral (
    select coalesce(sum(c.calls), 0)::bigint as calls, coalesce(sum(c.delayed), 0)::bigint
      as delayed, coalesce(sum(c.delay_s), 0) as delay_s,
      coalesce(sum(c.refused), 0)::bigint as refused, coalesce(sum(c.moved), 0)::bigint as moved
    from sluice.shadow_hours(s.id) c) h
  where shadows.id is null or s.id = shadows.id
  order by s.id desc;
end
$$;

-- shadow_hours: what a shadow has counted, by hour and model.
-- Params:  id: the shadow's.
-- Returns: rows in the order of hours and models; as shadows has them.
create or replace function sluice.shadow_hours(id bigint)
returns setof sluice.shadow_hour_row
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return query
  select h.at, h.model, h.calls, h.delayed, h.delay_s, h.refused,
    greatest(0, round(h.calls - h.expected - h.refused))::bigint
  from sluice.shadow_hour h where h.shadow = shadow_hours.id order by h.at, h.model;
end
$$;
