-- sluice.tenant_key, written out: whether another tenant has the key of a new one's name.
create index unlisted_tenant_by_key on sluice.unlisted_tenant
  ((hashtextextended(tenant, 0) >> 1));
create index api_key_by_tenant_key on sluice.api_key ((hashtextextended(tenant, 0) >> 1))
  where revoked_at is null;
