-- Steps of batches are shared out by the time that they take, not one by one: a tenant's tags, in microseconds of all tenants' steps
-- (79_batch_work.sql).
alter table sluice.batch_turn
  add column start_tag bigint not null default 0,
  add column finish_tag bigint not null default 0;
