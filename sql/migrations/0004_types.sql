-- The row shapes that cross the border between the database and a worker.

-- What became of one call. kind: solved | failed (permanent) | retry (charged) | throttled (closes the model, not
-- charged) | returned (never sent: not charged) | cancelled.
create type sluice.outcome as (
  task_id        bigint,
  fence          int,
  kind           text,
  answer         text,
  response       text,
  error          text,
  error_code     text,
  http_status    int,
  retry_after_ms bigint,
  input_tokens   int,
  output_tokens  int,
  billed         boolean
);

-- One claimed task. api is null while the body did not fit into the claim: ask sluice.requests for it.
create type sluice.claimed_task as (
  task_id           bigint,
  fence             int,
  attempt           int,
  model             text,
  send_within_ms    int,
  api               text,
  prompt            text,
  request           text,
  max_output_tokens int,
  traceparent       text,
  timeout_ms        int
);

-- What one admission took from one lane of the backlog: used between internal functions only.
create type sluice.backlog_taken as (
  line  text,
  rank  smallint,
  first timestamptz,
  tasks int
);

-- A lease that a call's outcome has just ended, and the outcome's place in the array: between internal functions.
create type sluice.ended_call as (
  place int,
  lease sluice.lease
);
