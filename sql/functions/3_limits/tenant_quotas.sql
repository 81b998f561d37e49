-- Tenants' quotas: permits of tenant and model are taken together, all or nothing for each task. A
-- tenant that has or had a quota has two unlogged sequences, n being its id: tenant_bucket_<n> and
-- tenant_tokens_<n>. Its lock is tried after the model's.

-- tenant_allowances: what each tenant of p_names that has a quota may begin now, in the order of
-- their ids.
-- Returns: requests, tokens: null: no limit; busy: another worker is taking permits of this tenant
--          now: skip it.
create or replace function sluice.tenant_allowances(p_names text[], p_now timestamptz)
returns table (name text, busy boolean, requests bigint, tokens bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_tenant sluice.tenants;
  v_requests sluice.quota;
  v_tokens sluice.quota;
begin
  for v_tenant in
    select t.* from sluice.tenants t
    where t.name = any (p_names) and (t.rpm is not null or t.tpm is not null) order by t.id
  loop
    name := v_tenant.name;
    busy := not pg_try_advisory_xact_lock(sluice.lock_class('tenant'), v_tenant.id);
    if not busy then
      v_requests := sluice.request_quota(v_tenant);
      v_tokens := sluice.token_quota(v_tenant);
      perform sluice.mend_bucket(v_requests, p_now);
      perform sluice.mend_bucket(v_tokens, p_now);
      requests := sluice.permits_now(v_requests, p_now);
      tokens := sluice.permits_now(v_tokens, p_now);
    end if;
    return next;
  end loop;
end
$$;

-- tenant_headroom: how many calls a tenant may begin now. Claims look only at the lanes of tenants
-- with headroom. It takes no lock, so tenant_allowances decides. It also mends the bucket where
-- that is necessary, because a claim never reaches it otherwise.
-- Returns: headroom: null: the tenant has no quota, or this is a standby; next_at: while there is
--          none, when there will be; 10 s ahead at most, in case the notification of a raised limit
--          is lost.
create or replace function sluice.tenant_headroom(
  p_tenant text, p_now timestamptz, out headroom int, out next_at timestamptz)
language plpgsql volatile
as $$
declare
  v_tenant sluice.tenants;
  v_requests sluice.quota;
  v_tokens sluice.quota;
begin
  select * into v_tenant from sluice.tenants t where t.name = p_tenant
    and (t.rpm is not null or t.tpm is not null);
  if not found or pg_is_in_recovery() then
    return;
  end if;
  v_requests := sluice.request_quota(v_tenant);
  v_tokens := sluice.token_quota(v_tenant);
  headroom := greatest(0, least(sluice.permits_now(v_requests, p_now),
    (sluice.permits_now(v_tokens, p_now) + 8) / 9));  -- no task reserves less than 9
  if headroom = 0 then
    if (sluice.needs_mending(v_requests, p_now) or sluice.needs_mending(v_tokens, p_now))
       and pg_try_advisory_xact_lock(sluice.lock_class('tenant'), v_tenant.id) then
      perform sluice.mend_bucket(v_requests, p_now), sluice.mend_bucket(v_tokens, p_now);
    end if;
    next_at := least(p_now + interval '10 seconds',
      greatest(sluice.permit_at(v_requests, p_now), sluice.permit_at(v_tokens, p_now)));
  end if;
end
$$;

-- charge_reserved: takes the tokens of new leases from their model's quota, and their calls and
-- tokens from their tenants'. Requires the locks of the model and of those tenants.
create or replace function sluice.charge_reserved(
  p_model sluice.models, p_leases sluice.lease[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  perform sluice.take_permits(sluice.token_quota(p_model),
    (select sum(l.reserved_tokens)::bigint from unnest(p_leases) l), p_now);
  perform sluice.take_permits(sluice.request_quota(t), l.calls, p_now),
    sluice.take_permits(sluice.token_quota(t), l.tokens, p_now)
  from (select l.tenant, count(*) as calls, sum(l.reserved_tokens)::bigint as tokens
        from unnest(p_leases) l group by 1) l
  join sluice.tenants t on t.name = l.tenant and (t.rpm is not null or t.tpm is not null)
  order by t.id;
end
$$;

-- before_tenant_changes: creates a tenant's buckets, full, and notes when its limits change. The
-- first role of all closes the other tenants to everybody.
-- Errors:  SL004 require_own_turns.
create or replace function sluice.before_tenant_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
declare
  v_bucket text;
begin
  if tg_op = 'INSERT' or new.name <> old.name then
    perform sluice.require_own_turns(array[new.name]);
  end if;
  foreach v_bucket in array array['tenant_bucket_', 'tenant_tokens_'] loop
    if (new.rpm is not null or new.tpm is not null)
      and to_regclass('sluice.' || v_bucket || new.id) is null then
      execute format('create unlogged sequence sluice.%I minvalue 0', v_bucket || new.id);
      perform setval(('sluice.' || v_bucket || new.id)::regclass, 0);
    end if;
  end loop;
  if tg_op = 'UPDATE' and (new.rpm, new.tpm) is distinct from (old.rpm, old.tpm) then
    new.limits_changed_at := clock_timestamp();
  end if;
  if new.role is not null and not exists (select from sluice.tenants where role is not null) then
    update sluice.settings set default_role = null where default_role = 'public';
    if found then
      raise notice 'from now on only administrators act for tenants without a role of their own'
        using hint = 'Let others: update sluice.settings set default_role = ''a_role''.';
    end if;
  end if;
  return new;
end
$$;

create or replace trigger before_tenant_changes before insert or update on sluice.tenants
  for each row execute function sluice.before_tenant_changes();

-- after_tenant_is_gone: drops the sequences of a deleted tenant when the deletion commits: earlier
-- they would stop every claim that reads them. If their lock is not available within 1 s they stay:
-- ids are not used twice.
create or replace function sluice.after_tenant_is_gone() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
set lock_timeout = '1s'
set client_min_messages = 'warning'  -- not that there was no such sequence
as $$
begin
  execute format('drop sequence if exists sluice.%I, sluice.%I cascade',
    'tenant_bucket_' || old.id, 'tenant_tokens_' || old.id);
  if not exists (select from sluice.tenants where name = old.name) then
    execute format('drop sequence if exists sluice.%I cascade',
      'load_tenant_' || md5(old.name));
  end if;
  return null;
exception when lock_not_available then
  return null;
end
$$;

-- Constraint triggers know no "or replace".
do $$
begin
  if not exists (select from pg_trigger where tgname = 'after_tenant_is_gone') then
    create constraint trigger after_tenant_is_gone after delete on sluice.tenants deferrable
      initially deferred
      for each row execute function sluice.after_tenant_is_gone();
  end if;
end
$$;
