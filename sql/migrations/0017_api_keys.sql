-- Keys of the HTTP front. The key itself is shown once, when it is made, and stored nowhere.

-- sha256: of the whole key. A plain hash is right here: a key is 32 random bytes, so there is nothing to guess that a slow
-- or salted hash would protect, and each request needs one.
create table sluice.api_key (
  id         text primary key,
  sha256     bytea not null,
  name       text not null,
  tenant     text,
  scopes     text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint id_is_16_hexadecimal_digits check (id ~ '^[0-9a-f]{16}$'),
  constraint sha256_has_32_bytes check (octet_length(sha256) = 32),
  constraint name_is_1_to_200_characters check (length(name) between 1 and 200),
  constraint tenant_is_1_to_200_characters check (length(tenant) between 1 and 200),
  constraint scopes_are_known check (cardinality(scopes) > 0 and scopes <@ array['submit', 'read', 'admin']),
  constraint administrators_have_no_tenant check (tenant is null or not 'admin' = any (scopes))
);

-- Lists page by id now, and by tenant (81_listings.sql).
drop function if exists sluice.newest_ids(text, int);
