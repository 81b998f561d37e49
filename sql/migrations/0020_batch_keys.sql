-- The Idempotency-Key that a batch was created with: who repeats a create gets the same batch. It goes with its batch.
create table sluice.batch_key (
  tenant         text not null,    -- '' for a key without a tenant
  key_sha256     bytea not null,
  content_sha256 bytea not null,   -- of the request's body
  batch          bigint references sluice.batch on delete cascade,  -- null: its transaction is open
  primary key (tenant, key_sha256)
);
create index batch_key_batch on sluice.batch_key (batch);
