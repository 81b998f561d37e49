-- What psql and docs/reference/ say of the tables that are read but not configured.

comment on table sluice.api_key is
  'Keys of the HTTP API. sluice key create makes one; the key itself is shown then, and stored '
  'nowhere.';
comment on column sluice.api_key.id is 'Its public part, 16 hexadecimal digits.';
comment on column sluice.api_key.sha256 is 'Of the whole key, which is 32 random bytes.';
comment on column sluice.api_key.name is 'What it is for, for people.';
comment on column sluice.api_key.tenant is
  'The tenant for which it submits and which alone it sees. Null: all tenants.';
comment on column sluice.api_key.scopes is
  'Some of submit, read and admin; admin includes the others.';
comment on column sluice.api_key.created_at is 'When it was made.';
comment on column sluice.api_key.revoked_at is 'When it was ended. Null: in force.';

comment on table sluice.migration is
  'The migrations that ran in this database, one row each. sluice migrate status reads it.';
comment on column sluice.migration.version is 'Its number.';
comment on column sluice.migration.name is 'Its file.';
comment on column sluice.migration.sha256 is 'Of its text, 64 hexadecimal digits.';
comment on column sluice.migration.serves_from is
  'The oldest schema version whose programs work with this schema. Null: of this version alone.';
comment on column sluice.migration.applied_at is 'When it ran.';

comment on table sluice.function_set is
  'Which set of functions is in force: one row. sluice doctor compares it with the binary.';
comment on column sluice.function_set.one is 'Always true: there is one row.';
comment on column sluice.function_set.sha256 is 'Of all files of functions, 64 hexadecimal digits.';
comment on column sluice.function_set.sluice_version is 'The release that brought them.';
comment on column sluice.function_set.applied_at is 'When.';

comment on sequence sluice.notify_usage is
  'How full the server''s queue of notifications was at the last look, in thousandths; from 500 '
  'on nobody notifies.';
