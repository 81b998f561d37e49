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

-- How many unfinished tasks there may be: what one submit has to ask about. of_model null: as many as of_system.
create type sluice.headroom_max as (
  of_system bigint,
  of_tenant bigint,   -- null: no cap
  of_model  bigint
);

-- sluice.fault() asks these, for PostgreSQL parses a table's constraints anew in every statement.
alter table sluice.task
  drop constraint a_model_or_a_route_is_named,
  drop constraint a_prompt_or_a_request_is_given,
  drop constraint priority_is_between_minus_100_and_100,
  drop constraint traceparent_has_at_most_200_plain_characters,
  drop constraint metadata_has_at_most_64_kib;

-- Whole arrays are checked at once now.
drop function if exists sluice.task_of(jsonb), sluice.check_item(jsonb), sluice.check_item_fits(jsonb),
  sluice.check_tasks(jsonb, timestamptz),
  sluice.check_task(text, text, int, int, int, jsonb, text, text),
  sluice.accept(int, bigint, text, text, timestamptz), sluice.ring(int);

-- They return what they set now.
drop function if exists sluice.set_counter(text, int, bigint), sluice.set_mark(int, timestamptz);
