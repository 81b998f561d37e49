-- Phrases that several sentences of explain use.

-- clock_text: a time for people.
create or replace function sluice.clock_text(p_time timestamptz, p_now timestamptz) returns text
language sql stable
as $$
  select case when isfinite(p_time)
    then to_char(p_time, case when p_time::date = p_now::date then 'HH24:MI:SS'
      else 'YYYY-MM-DD HH24:MI:SS' end)
    else p_time::text end
$$;

-- deadline_text: what the deadline of a waiting task adds to its sentence. The row's deadline,
-- because a redrive drops one that has passed.
create or replace function sluice.deadline_text(p_deadline timestamptz, p_now timestamptz)
returns text
language sql stable
as $$
  select case when p_deadline <= p_now then ', past its deadline: it ends as expired'
              when p_deadline > p_now then ', deadline '
                || sluice.clock_text(p_deadline, p_now) else '' end
$$;

-- ahead_max: up to how many tasks explain counts.
create or replace function sluice.ahead_max() returns int
language sql immutable parallel safe
as $$ select 10000 $$;

-- ahead_text: how many tasks are ahead.
-- Params:  p_routed: how many of them are a route's.
create or replace function sluice.ahead_text(p_ahead int, p_routed int) returns text
language sql immutable
as $$
  select case when p_ahead = 0 then 'first in its queue'
    when p_ahead > sluice.ahead_max() then 'more than '
      || to_char(sluice.ahead_max(), 'FM999,999') || ' ahead'
    else p_ahead || ' ahead' || case when p_routed > 0 then format(' (about %s of them by routes)',
      p_routed) else '' end end
$$;

-- closed_then_text: why a task in later cannot be called when its time has come either, as far as
-- is known now; null: it can.
create or replace function sluice.closed_then_text(
  p_task sluice.task, p_ready_at timestamptz, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_models sluice.models[] := array(
    select m from sluice.models m
    where m.id = p_task.model or m.name in (select r.model from sluice.routes r
      where r.route = p_task.route and r.weight > 0));
begin
  return case
    when not exists (select from unnest(v_models) m
      where sluice.is_open(m, greatest(p_ready_at, p_now)))
      then 'then ' || case when p_task.route is null then sluice.closed_text(v_models[1], p_now)
        else sluice.route_text(p_task.route, p_task.api, p_now) end
    when not exists (select from unnest(v_models) m
      where sluice.live_workers(m, p_now, p_task.schema_version) <> '{}')
      then 'no live worker serves '
        || case when p_task.route is null then 'the model' else 'a model of the route' end end;
end
$$;

-- attempts_text: how many attempts a task may have: its own number, or its model's; the models of a
-- route may differ.
create or replace function sluice.attempts_text(p_task sluice.task) returns text
language plpgsql volatile
as $$
declare
  v_least int;
  v_most int;
begin
  select min(sluice.attempts_max(p_task.id, m.id)), max(sluice.attempts_max(p_task.id, m.id))
  into v_least, v_most
  from sluice.models m
  where m.id = p_task.model or m.name in (
    select r.model from sluice.routes r where r.route = p_task.route and r.weight > 0);
  return concat_ws(' to ', v_least, nullif(v_most, v_least));
end
$$;

-- tenant_text: until when a tenant has no permit and, if only its quota of requests decides, how
-- much later the task with p_ahead before it gets its own; null: it has one, or needs none. A
-- standby does not know.
create or replace function sluice.tenant_text(p_tenant text, p_ahead int, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_tenant sluice.tenants := (select t from sluice.tenants t where t.name = p_tenant);
  v_requests sluice.quota := sluice.request_quota(v_tenant);
  v_tokens sluice.quota := sluice.token_quota(v_tenant);
begin
  if pg_is_in_recovery() and num_nonnulls(v_tenant.rpm, v_tenant.tpm) > 0 then
    return format('permits of tenant "%s" unknown on a standby (%s)', p_tenant,
      concat_ws(', ', 'rpm ' || v_tenant.rpm, 'tpm ' || v_tenant.tpm));
  elsif coalesce(least(sluice.permits_now(v_requests, p_now),
    sluice.permits_now(v_tokens, p_now)) > 0, true) then
    return null;
  end if;
  return format('tenant "%s" has no permit before %s (%s)', p_tenant,
      sluice.clock_text(greatest(sluice.permit_at(v_requests, p_now),
        sluice.permit_at(v_tokens, p_now)), p_now),
      concat_ws(', ', 'rpm ' || v_tenant.rpm, 'tpm ' || v_tenant.tpm))
    || case when v_tenant.tpm is null and p_ahead between 1 and sluice.ahead_max()
       then ', this task not before '
         || sluice.clock_text(sluice.permit_at(v_requests, p_now, p_ahead), p_now) else '' end;
end
$$;

-- route_text: when the next model of a route opens, if none is open.
-- Params:  p_api: of a verbatim request: only models that speak it.
create or replace function sluice.route_text(p_route text, p_api text, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_models sluice.models[] := array(
    select m from sluice.routes r join sluice.models m on m.name = r.model
    where r.route = p_route and r.weight > 0 and coalesce(m.api = p_api, true) order by m.name);
begin
  return 'none of its models' || coalesce(' that speak ' || p_api, '')
    || case when v_models = '{}' then ' has a weight' else ' is open' end
    || coalesce((select '; ' || m.name || ' will be at '
      || sluice.clock_text(greatest(m.closed_until, sluice.probe_at(m, p_now)), p_now)
                 from unnest(v_models) m where not m.paused
                   and coalesce(isfinite(m.closed_until), true)
                 order by greatest(m.closed_until, sluice.probe_at(m, p_now)) limit 1), '');
end
$$;

-- closed_text: why nothing, or only a probe, may be claimed for a model, or null. The
-- longest-lasting reason first.
create or replace function sluice.closed_text(p_model sluice.models, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_reason text := coalesce(' (' || sluice.shown_reason(p_model.closed_reason,
    p_model.closed_detail) || ')', '');
  v sluice.breaker := (select b from sluice.breaker b where b.model = p_model.id);
  v_probe timestamptz := (select l.started_at from sluice.lease l
    where (l.task_id, l.fence) = (v.probe_task, v.probe_fence));
begin
  return case
    when p_model.paused then 'the model is paused'
    when p_model.closed_until = 'infinity'
      then 'the model is parked until somebody runs sluice model resume ' || p_model.name
        || v_reason
    when p_model.closed_until > p_now then
      'the model is closed until ' || sluice.clock_text(p_model.closed_until, p_now) || v_reason
    when v.state = 'open' and not sluice.is_open(p_model, p_now) then
      'the breaker is open until ' || sluice.clock_text(v.since + p_model.breaker_open, p_now)
        || coalesce(' (' || v.reason || ')', '')
    when v.state = 'open' then 'the breaker lets one call at a time through'
    when v.state = 'half_open' then 'the breaker is half open and lets one call at a time through'
      || coalesce(', a probe is under way since ' || sluice.clock_text(v_probe, p_now), '') end;
end
$$;

-- fallbacks_text: which models a task has left for others, and why; empty: none.
create or replace function sluice.fallbacks_text(p_task bigint) returns text
language plpgsql stable
as $$
begin
  return coalesce((
    select '; it went ' || string_agg(format('from %s to %s (%s)', a.model, a.fallback_to,
      replace(a.error_code, '_', ' ')), ', ' order by a.id)
    from sluice.attempt a where a.task_id = p_task and a.kind = 'rerouted'), '');
end
$$;

-- error_line: an error, cut to one line of 200 characters.
create or replace function sluice.error_line(p_error text) returns text
language sql immutable parallel safe
as $$ select left(regexp_replace(p_error, '[[:space:]]+', ' ', 'g'), 200) $$;
