-- What was asked, and where it waits. A task has no status column: the table that holds its row is its state.
--
--   task         what was asked: written once, by id range
--   queue_<n>    ready for model n
--   lease        a worker has it (0004_workers_and_leases.sql)
--   result       the one final outcome, by id range (0005_results_and_attempts.sql)

create sequence sluice.task_id as bigint minvalue 1 cache 1;

-- No constraints besides: sluice.fault() checks, for PostgreSQL parses a table's constraints anew in every statement.
create table sluice.task (
  id                bigint not null,
  created_at        timestamptz not null,
  run_at            timestamptz,           -- not before; null: at once
  deadline          timestamptz,           -- it expires if it still waits then
  batch_id          bigint,
  model             int,                   -- the model that was named, or null
  max_output_tokens int,
  priority          smallint not null,     -- -100 to 100
  max_attempts      smallint,              -- null: the model's
  route             text,                  -- the route that was named, or null
  tenant            text not null,
  traceparent       text,
  metadata          jsonb,
  prompt            text,                  -- or
  request           text,                  -- verbatim JSON
  api               text,                  -- of a verbatim request for a route: what the route's models spoke
  forgotten_at      timestamptz,           -- when its texts were erased; the one column that is ever set later
  primary key (id)
) partition by range (id);

-- A task as it is submitted; its columns are the keys of an element of sluice.submit_many.
create type sluice.draft as (
  prompt            text,
  model             text,                  -- of a model or a route
  priority          int,
  tenant            text,
  run_at            timestamptz,
  deadline          timestamptz,
  idempotency_key   text,
  max_attempts      int,
  request           text,
  max_output_tokens int,
  metadata          jsonb,
  batch_id          bigint,
  traceparent       text
);

-- Which task an idempotency key belongs to.
create table sluice.idempotency (
  tenant         text not null,
  key_sha256     bytea not null,
  task_id        bigint not null,
  content_sha256 bytea not null,           -- of the task: the key with another one is refused
  primary key (tenant, key_sha256)
);
create index idempotency_of_task on sluice.idempotency (task_id);

-- Parent of the tables queue_<n>, one a model, made with it; itself always empty.
create table sluice.queue (
  task_id       bigint not null,
  ready_at      timestamptz not null,
  deadline      timestamptz,
  model         int,
  request_bytes int not null,
  fence         int not null,              -- of its last call; 0: none yet
  rank          smallint not null,         -- minus the priority: all keys ascend
  attempts      smallint not null,         -- charged so far
  tenant        text not null
);

-- For which models the bell was rung since somebody found nothing to do for them (sluice.ring, sluice.quieten). Insert-only but for
-- its tidying; a model may be in it more than once. Logged: a crash must not forget what waits.
create table sluice.rung (
  model   int,
  rung_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
analyze sluice.rung;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- Where tasks waited to be admitted, until 0050_lines.sql: that one still names it. sluice.drop_backlog drops it.
create table sluice.backlog (
  task_id       bigint primary key,
  ready_at      timestamptz not null,
  deadline      timestamptz,
  model         int,
  request_bytes int not null,
  fence         int not null,
  rank          smallint not null,
  attempts      smallint not null,
  due           boolean not null,          -- false: waits for ready_at; true: waits for room
  route         text,
  tenant        text not null,
  constraint a_model_or_a_route_is_named check ((model is null) <> (route is null))
);

-- What one cancel_all is about; nulls are no condition. Between internal functions only.
create type sluice.task_filter as (
  model    int,
  route    text,
  tenant   text,
  metadata jsonb,
  batch_id bigint
);

-- When the next sweep may run, in microseconds since the epoch. Unlogged: reset means "now".
create unlogged sequence sluice.sweep_after minvalue 0;
-- The model at whose queue the last round of expiry ended; a reset begins with the first.
create unlogged sequence sluice.expired_model minvalue 0;
