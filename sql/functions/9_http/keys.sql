-- Keys of the HTTP front (`sluice serve`). The database stores only their hashes.

-- create_key: stores the hash of a new key of the HTTP API. `sluice key create` makes one.
-- Params:  id: 16 hexadecimal digits, the key's public part; sha256: of the whole key; name: for
--          people; tenant: the key may see and submit this tenant's tasks alone (null: all
--          tenants'); scopes: one or more of submit, read and admin, which includes the others.
-- Errors:  SL003 10,000 keys are in force; SL004 the tenant's name has another's turns; 23xxx the
--          table's constraints.
create or replace function sluice.create_key(
  id text, sha256 bytea, name text, tenant text, scopes text[],
  p_now timestamptz default null) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  c_keys_max constant int := 10000;  -- each server keeps them in memory, read once a second
begin
  lock table sluice.api_key in share row exclusive mode;  -- or two would count at once
  if (select count(*) from sluice.api_key where revoked_at is null) >= c_keys_max then
    raise exception '% keys are in force', c_keys_max using errcode = 'SL003',
      hint = 'Revoke some: sluice key ls, sluice key revoke ID.';
  end if;
  if create_key.tenant is not null then
    perform sluice.require_own_turns(array[create_key.tenant]);
  end if;
  insert into sluice.api_key (id, sha256, name, tenant, scopes, created_at)
  values (create_key.id, create_key.sha256, create_key.name, create_key.tenant, create_key.scopes,
    coalesce(p_now, clock_timestamp()));
  perform sluice.note_audit('create_key', create_key.id,
    jsonb_build_object('name', create_key.name, 'tenant', create_key.tenant, 'scopes',
      create_key.scopes));
end
$$;

-- revoke_key: ends a key of the HTTP API; servers follow within a second.
-- Params:  id: its 16 hexadecimal digits.
-- Returns: whether it was in force.
create or replace function sluice.revoke_key(id text, p_now timestamptz default null)
returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  update sluice.api_key k set revoked_at = coalesce(p_now, clock_timestamp())
  where k.id = revoke_key.id and k.revoked_at is null;
  if not found then
    return false;
  end if;
  perform sluice.note_audit('revoke_key', revoke_key.id);
  return true;
end
$$;
