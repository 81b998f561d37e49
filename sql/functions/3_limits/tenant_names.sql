-- Whoever may choose a tenant's name may not choose another's turns.

-- require_own_turns: refuses names whose key (tenant_key) is that of another tenant: of one with a
-- row or an API key, of one that has tasks, or of "default". Lanes and shares go by the key, and a
-- name with a given key is found in a second, for its hash is not one against that; so its tasks
-- would stand before the other's. Called where a tenant's name is new.
-- Errors:  SL004.
-- twin: tenant_key (change all alike)
create or replace function sluice.require_own_turns(p_tenants text[]) returns void
language plpgsql volatile
set enable_seqscan = off
as $$
declare
  v_tenant text := (
    select min(n.name) from unnest(p_tenants) n(name) where exists (
      select from sluice.tenants t where t.name <> n.name
        and (hashtextextended(t.name, 0) >> 1) = (hashtextextended(n.name, 0) >> 1)
      union all
      select from sluice.unlisted_tenant u where u.tenant <> n.name
        and (hashtextextended(u.tenant, 0) >> 1) = (hashtextextended(n.name, 0) >> 1)
      union all
      select from sluice.api_key k where k.tenant <> n.name and k.revoked_at is null
        and (hashtextextended(k.tenant, 0) >> 1) = (hashtextextended(n.name, 0) >> 1)
      union all
      select where n.name <> 'default'
        and (hashtextextended('default', 0) >> 1) = (hashtextextended(n.name, 0) >> 1)));
begin
  if v_tenant is not null then
    raise exception 'tenant "%" would have the turns of another tenant', v_tenant
      using errcode = 'SL004', column = 'tenant', hint = 'Choose another name.';
  end if;
end
$$;
