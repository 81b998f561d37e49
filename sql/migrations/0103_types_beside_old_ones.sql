-- Types of which functions make rows never change: a call that is under way when the functions are
-- replaced makes rows of the old form until it ends (D-383). These take the place of draft,
-- destination, line_share and claimed_task, which sql/functions/dropped.sql has dropped later.

-- What a task is submitted with: an argument of sluice.submit each.
create type sluice.task_draft as (
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
  traceparent       text,
  schema_version    text,
  affinity_key      text
);

-- The line to which drafts of a submit_many go that have the same target, tenant, version and
-- affinity key.
create type sluice.task_destination as (
  name         text,                -- that they give as their model; '': none
  verbatim     boolean,             -- they are requests, not prompts
  line         int,
  model        int,                 -- that was named
  route        text,                -- or this
  api          text,                -- of requests for a route
  tenant       text,
  tasks        int,
  version      text,                -- '': none
  affinity_key text,                -- '': none
  later        boolean              -- its line is not made yet
);

-- How much a claim may take of a line; most null: any number.
create type sluice.claim_share as (
  line     int,
  most     int,
  since    timestamptz,
  before   timestamptz,
  prefer   text                     -- what its route goes by; null: weights
);

-- A task as a claim gives it. api is null while the body did not fit: ask sluice.requests for it.
create type sluice.leased_task as (
  task_id           bigint,
  fence             int,
  attempt           int,            -- from 1
  model             text,
  send_within_ms    int,            -- then its permit is forfeited
  api               text,
  prompt            text,
  request           text,
  max_output_tokens int,
  traceparent       text,
  timeout_ms        int,
  priority          int,
  queued_ms         bigint,         -- of a traced task: how long it was in the queue
  request_bytes     int,
  schema_version    text
);

-- The functions' files renamed this attribute once, wherever there were functions.
do $$
begin
  alter type sluice.head rename attribute room to headroom;
exception when undefined_column then null;
end
$$;
