-- The limits of a tenant. Its row in sluice.tenants says them; where that is null,
-- sluice.settings.tenant_… does; where both are null there is no limit. Only sluice.limits_of reads
-- them. Each limit is applied where the thing begins: those of tasks in submit and submit_many,
-- those of files and batches where they are created.
--
-- The tenant "default", of tasks that name none, is most installations' only tenant: without a row
-- its tasks, priorities and models are limited by the system's bounds alone. Files and batches
-- without a tenant count as its own.

-- limits_of: the limits of tenant p_tenant; one row. Inlined. A submit does not count the tenant's
-- unfinished tasks for the settings' limit: is_full says whether the last count of all tenants
-- (look_at_tenants) found that many.
create or replace function sluice.limits_of(p_tenant text) returns setof sluice.tenant_limits
language sql stable rows 1
as $$
  select
    t.max_unfinished, coalesce(t.max_batches, s.tenant_max_batches),
      coalesce(t.max_files, s.tenant_max_files),
    coalesce(t.files_bytes_max, s.tenant_files_bytes_max),
    coalesce(t.max_priority, case when p_tenant <> 'default' then s.tenant_max_priority end),
    coalesce(t.models, case when p_tenant <> 'default' then s.tenant_models end), t.tpm,
    s.max_tenants is null or t.name is not null or p_tenant = 'default'
      or exists (select from sluice.unlisted_tenant u where u.tenant = p_tenant)
      or exists (select from sluice.api_key k where k.tenant = p_tenant and k.revoked_at is null),
    t.max_unfinished is null
      and exists (select from sluice.full_tenant f where f.tenant = p_tenant
        and f.tasks >= s.tenant_max_unfinished)
  from sluice.settings s left join sluice.tenants t on t.name = p_tenant
$$;

-- exceeds: whether a task of this priority, for this model or route, is beyond these limits.
create or replace function sluice.exceeds(
  p_limits sluice.tenant_limits, p_priority int, p_name text)
returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_priority > p_limits.max_priority, false)
  or coalesce(p_name <> all (p_limits.models), false) $$;

-- refuse_excess: raises the error for what exceeds() found.
-- Errors:  SL004 the priority, SL009 the model or route.
create or replace function sluice.refuse_excess(p_tenant text, p_priority int, p_name text)
returns void
language plpgsql stable
as $$
declare
  v_limits sluice.tenant_limits := (select l from sluice.limits_of(p_tenant) l);
begin
  if p_priority > v_limits.max_priority then
    raise exception 'priority % is above %, the highest for tenant "%"', p_priority,
      v_limits.max_priority, p_tenant
      using errcode = 'SL004', column = 'priority',
        hint = 'Ask for less, or raise sluice.tenants.max_priority (for all: '
               'sluice.settings.tenant_max_priority).';
  end if;
  raise exception 'tenant "%" may not use "%"', p_tenant, p_name using errcode = 'SL009',
    column = 'model', hint = case when v_limits.models = '{}' then 'It may use no model.'
      else 'It may use ' || sluice.first_names(v_limits.models) || '.' end
      || ' See sluice.tenants.models, and sluice.settings.tenant_models.';
end
$$;

-- model_list_key: the first key of a verbatim request that lets some backends call another model
-- than "model" says: OpenRouter's models, LiteLLM's fallbacks, an old OpenAI's engine (null: none).
-- In any case of letters, as backends in Go read keys; to these a long s is an s, and the Kelvin
-- sign a k, so a key with other letters than ASCII's counts. Params: p_request: a JSON object.
create or replace function sluice.model_list_key(p_request text) returns text
language sql immutable parallel safe
as $$
  select min(k) from json_object_keys(p_request::json) k
  where lower(k collate "C") in ('models', 'fallbacks', 'engine') or k collate "C" ~ '[^ -~]'
$$;

-- refuse_model_list: refuses a verbatim request with such a key for a tenant whose models are
-- limited.
-- Params:  p_request: a JSON object; null: the task has a prompt.
-- Errors:  SL009.
create or replace function sluice.refuse_model_list(
  p_tenant text, p_limits sluice.tenant_limits, p_request text)
returns void
language plpgsql stable
as $$
declare
  v_key text := case when p_limits.models is not null then sluice.model_list_key(p_request) end;
begin
  if v_key is not null then
    raise exception 'tenant "%" may not use every model, and "%" in its request may name any',
      p_tenant, v_key using errcode = 'SL009', column = 'request',
      hint = 'Leave the key out: the task itself names its model, and a route can name several. '
        'See sluice.tenants.models, and sluice.settings.tenant_models.';
  end if;
end
$$;

-- are_limited: whether any tenant's priorities or models are limited.
create or replace function sluice.are_limited() returns boolean
language plpgsql stable
as $$
begin
  return (select s.tenant_max_priority is not null or s.tenant_models is not null
    or exists (select from sluice.tenants where max_priority is not null or models is not null)
      from sluice.settings s);
end
$$;

-- note_tenants: notes new tenants, of which settings.max_tenants may have tasks. Only tenants
-- without a row and without a key of their own are new; somebody created the others (limits_of).
-- Two transactions may note the same tenant, so an exact count is made before one is refused.
-- Errors:  SL004 require_own_turns; SL005 there are max_tenants already; SL009 max_tenants is 0:
--          known tenants only.
create or replace function sluice.note_tenants(p_tenants text[]) returns void
language plpgsql volatile
as $$
declare
  v_max int := (select s.max_tenants from sluice.settings s);
  v_count bigint := (select count(*) from sluice.unlisted_tenant);
begin
  perform sluice.require_own_turns(p_tenants);
  if v_count + cardinality(p_tenants) > v_max then
    v_count := (select count(*) from (select distinct u.tenant from sluice.unlisted_tenant u) u);
  end if;
  if v_count + cardinality(p_tenants) > v_max then
    raise exception
      'tenant "%" is new, and % tenants without a row in sluice.tenants have tasks already',
      (select min(t) from unnest(p_tenants) t), v_count
      using errcode = case when v_max = 0 then 'SL009' else 'SL005' end, column = 'tenant',
        hint = 'Give it a row: insert into sluice.tenants. Or raise sluice.settings.max_tenants = '
          || v_max || '.';
  end if;
  insert into sluice.unlisted_tenant (tenant, noted_at) select t, clock_timestamp()
  from unnest(p_tenants) t;
end
$$;

-- refuse_full_tenant: SL005 for a tenant whose limits say is_full.
create or replace function sluice.refuse_full_tenant(p_tenant text) returns void
language plpgsql stable
as $$
begin
  raise exception 'tenant "%" is at its cap: % unfinished', p_tenant, (
      select coalesce(f.tasks, s.tenant_max_unfinished) || ' of ' || s.tenant_max_unfinished
      -- which may be gone by now
      from sluice.settings s left join sluice.full_tenant f on f.tenant = p_tenant)
    using errcode = 'SL005',
      hint = 'Wait until some of its tasks have ended, or cancel some: '
             'they are counted now and then. Or raise '
      || 'sluice.tenants.max_unfinished (for all: sluice.settings.tenant_max_unfinished).';
end
$$;

-- are_many_unfinished: whether to count all tenants' tasks takes more than some 40 ms. Then it is
-- done in a session in which no worker claims: 0.6 s of each minute with 4 million, 1.3 with 8.
create or replace function sluice.are_many_unfinished() returns boolean
language plpgsql volatile
as $$
begin
  return coalesce(sluice.gauge_usage('sluice.load_all', true) > 200000, false);
end
$$;

-- look_at_tenants: counts the tasks of all tenants, so that no submit has to: once a minute, or
-- once a second while a tenant is at its limit, and for at most a hundredth of the time. Tasks
-- submitted between two looks are not counted, so a tenant may exceed its limit by these. Reads all
-- tables of unfinished tasks. Called by the sweep or, where many wait, by keep_history, of each of
-- which only one runs at a time and goes on if a look fails.
create or replace function sluice.look_at_tenants(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_max bigint := (select s.tenant_max_unfinished from sluice.settings s);
  v_pause interval := interval '1 minute';
begin
  if not sluice.is_due('sluice.tenants_after', interval '1 hour', p_now)
     or not exists (select from sluice.unlisted_tenant)
       and not exists (select from sluice.full_tenant)
       and (coalesce(sluice.gauge_usage('sluice.load_all', true), 0) < v_max) is not false then
    return;
  end if;
  -- also if this is cancelled
  perform setval('sluice.tenants_after', sluice.micros(p_now + v_pause));
  begin
    perform sluice.count_tenants(v_max, p_now);
    perform sluice.refresh_gate(false);
    v_pause := case when exists (select from sluice.full_tenant) then interval '1 second'
      else v_pause end;
  exception when others then
    raise warning 'the tasks of the tenants could not be counted: SQLSTATE %', sqlstate;
  end;
  perform setval('sluice.tenants_after', sluice.micros(
    p_now + least(greatest(v_pause, 100 * (clock_timestamp() - v_started)),
      interval '30 minutes')));
end
$$;

-- count_tenants: notes the tenants that have p_max tasks or more (null: none is full). Forgets
-- those new tenants that have no tasks any more, or have a row or a key by now, or were noted
-- twice.
create or replace function sluice.count_tenants(p_max bigint, p_now timestamptz) returns void
language plpgsql volatile
set enable_seqscan = on set enable_hashjoin = on set enable_hashagg = on set jit = off
as $$
begin
  with held as materialized (
    select p.tenant, count(*) as tasks
    from (select tenant from sluice.later union all select tenant from sluice.queue
      union all select tenant from sluice.lease) p
    group by p.tenant),
  noted as (
    select u.ctid as place, u.tenant, u.noted_at,
      row_number() over (partition by u.tenant order by u.noted_at desc) as nth
    from sluice.unlisted_tenant u),
  forgotten as (
    delete from sluice.unlisted_tenant u
    using noted n left join held h on h.tenant = n.tenant
      left join sluice.tenants t on t.name = n.tenant
      left join (select distinct tenant from sluice.api_key where revoked_at is null) k
        on k.tenant = n.tenant
    where u.ctid = n.place
      and (n.nth > 1 or t.name is not null or k.tenant is not null or h.tenant is null
        and n.noted_at < p_now - interval '1 minute')),
  stored as (
    insert into sluice.full_tenant as f select h.tenant, h.tasks from held h where h.tasks >= p_max
      and h.tenant <> 'default'
    on conflict (tenant) do update set tasks = excluded.tasks where f.tasks <> excluded.tasks)
  delete from sluice.full_tenant f
  where not exists (select from held h where h.tenant = f.tenant and h.tasks >= p_max);
end
$$;
