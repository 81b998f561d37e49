-- A task as it is submitted, typed; its columns are the keys of an element of sluice.submit_many.
create type sluice.draft as (
  prompt            text,
  model             text,          -- of a model or a route
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

-- Whole arrays are checked at once now.
drop function if exists sluice.task_of(jsonb), sluice.check_item(jsonb), sluice.check_item_fits(jsonb),
  sluice.check_tasks(jsonb, timestamptz),
  sluice.check_task(text, text, int, int, int, jsonb, text, text);
