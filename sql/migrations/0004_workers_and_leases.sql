-- Who works, what each has in hand, and the row shapes that cross the border between the database and a worker.

-- Who serves; the only row that is updated in place, once per heartbeat.
create table sluice.worker (
  id            bigint primary key,     -- random, 63 bits: never guessed, never used twice
  name          text not null,
  slots         int not null,           -- calls at once
  models        text[],                 -- null: all
  version       text,
  registered_at timestamptz not null,
  seen          timestamptz not null,
  beating_since timestamptz not null,   -- start of the present run of heartbeats without a lapse
  suspected_at  timestamptz,            -- a tick saw it lapsed then
  dead_at       timestamptz,            -- never claims again; the row is kept for a day
  apis          text[],                 -- that it speaks: models of others are none of its business; null: all
  constraint slots_are_positive check (slots > 0)
) with (fillfactor = 50, vacuum_truncate = off);

-- A worker has the task. (task_id, fence) names the call; whoever finds no such lease is late.
create table sluice.lease (
  task_id         bigint primary key,
  worker          bigint not null,
  ready_at        timestamptz not null,
  started_at      timestamptz not null,
  deadline        timestamptz,
  reserved_tokens bigint not null default 0,
  model           int not null,
  request_bytes   int not null,
  fence           int not null,           -- grows by one with each lease of the task
  rank            smallint not null,
  attempts        smallint not null,      -- charged before this call
  tenant          text not null,
  calls           smallint not null default 1,  -- of the task that are under way: one, and those that hedge it
  constraint fence_is_positive check (fence > 0)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index lease_of_worker on sluice.lease (worker);
create index lease_of_model on sluice.lease (model);

-- Calls that somebody wants aborted: (task, fence) of a lease. Insert-only; a mark goes with the lease it is on.
create table sluice.cancellation (
  task_id bigint not null,
  worker  bigint not null,
  at      timestamptz not null,
  fence   int not null,
  primary key (task_id, fence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index cancellation_of_worker on sluice.cancellation (worker);

-- One claimed task. api is null while the body did not fit into the claim: ask sluice.requests for it.
create type sluice.claimed_task as (
  task_id           bigint,
  fence             int,
  attempt           int,       -- from 1
  model             text,
  send_within_ms    int,       -- then its permit is forfeited
  api               text,
  prompt            text,
  request           text,
  max_output_tokens int,
  traceparent       text,
  timeout_ms        int,
  priority          int,
  queued_ms         bigint     -- of a traced task: how long it was in the queue
);

-- What became of one call. kind: solved | failed (permanent) | retry (charged) | throttled (closes the model, not
-- charged) | returned (never sent: not charged) | cancelled.
create type sluice.outcome as (
  task_id        bigint,
  fence          int,
  kind           text,
  answer         text,
  response       text,         -- the backend's verbatim body
  error          text,
  error_code     text,
  http_status    int,
  retry_after_ms bigint,
  input_tokens   int,
  output_tokens  int,
  billed         boolean       -- null: nobody knows
);

-- A lease that a call's outcome has just ended, and the outcome's place in the array: between internal functions.
create type sluice.ended_call as (
  place int,
  lease sluice.lease
);
