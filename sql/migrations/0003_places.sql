-- Where a task can be. There is no status column: the table that holds the row is the state.
--
--   task         what was asked; insert-only; by id range
--   backlog      waits for admission, or for its time
--   queue        parent of the models' queue tables queue_<model id>; itself always empty
--   lease        a worker has it
--   result       the one final outcome; insert-only but for redrive; by id range
--   attempt      one row per call that failed, was lost, or came too late
--   idempotency  which submit a key belongs to
--   worker       who serves; the only row that is updated in place, once per heartbeat
--   lane         which (line, rank) has a mark: see sql/functions/05_marks.sql

create sequence sluice.task_id as bigint minvalue 1 cache 1;

create table sluice.task (
  id                bigint not null,
  created_at        timestamptz not null,
  run_at            timestamptz,
  deadline          timestamptz,
  batch_id          bigint,
  model             int,           -- the model that was named, or null
  max_output_tokens int,
  priority          smallint not null,
  max_attempts      smallint,
  route             text,          -- the route that was named, or null
  tenant            text not null,
  traceparent       text,
  metadata          jsonb,
  prompt            text,
  request           text,          -- verbatim JSON
  primary key (id),
  constraint a_model_or_a_route_is_named check ((model is null) <> (route is null)),
  constraint a_prompt_or_a_request_is_given check ((prompt is null) <> (request is null)),
  constraint priority_is_between_minus_100_and_100 check (priority between -100 and 100),
  -- What travels with a claim, and as a header, is small and has no line breaks.
  constraint traceparent_has_at_most_200_plain_characters check (traceparent ~ '^[!-~]{1,200}$'),
  constraint metadata_has_at_most_64_kib check (pg_column_size(metadata) <= 65536)
) partition by range (id);

create table sluice.result (
  task_id       bigint not null,
  worker        bigint,
  created_at    timestamptz not null,   -- of the task, so that reports need no join
  queued_at     timestamptz,
  started_at    timestamptz,
  finished_at   timestamptz not null,
  fence         int not null,
  input_tokens  int,
  output_tokens int,
  attempts      smallint not null,
  http_status   smallint,
  status        text not null,
  model         text,                   -- its name at that time
  error_code    text,
  error         text,
  cost          numeric,
  answer        text,
  response      text,                   -- the backend's verbatim body
  primary key (task_id),
  constraint status_is_final check (status in ('solved', 'failed', 'cancelled', 'expired'))
) partition by range (task_id);
create index result_not_solved on sluice.result (task_id) where status <> 'solved';

-- Partitions are made by ATTACH only (it waits for no reader), a million ids wide, two ahead of the
-- newest id. The attic takes what outlives its range.
do $$
declare
  v_table text;
  v_key text;
begin
  foreach v_table in array array['task', 'result'] loop
    v_key := case v_table when 'task' then 'id' else 'task_id' end;
    execute format('create table sluice.%I (like sluice.%I including all)', v_table || '_attic', v_table);
    execute format('alter table sluice.%I attach partition sluice.%I for values from (minvalue) to (0)',
                   v_table, v_table || '_attic');
    for n in 0 .. 2 loop
      execute format('create table sluice.%I (like sluice.%I including all)', v_table || '_' || n, v_table);
      execute format('alter table sluice.%I attach partition sluice.%I for values from (%s) to (%s)',
                     v_table, v_table || '_' || n, n * 1000000::bigint, (n + 1) * 1000000::bigint);
    end loop;
  end loop;
end
$$;

create table sluice.backlog (
  task_id       bigint primary key,
  ready_at      timestamptz not null,
  deadline      timestamptz,
  model         int,
  request_bytes int not null,
  fence         int not null,
  rank          smallint not null,      -- minus the priority: all keys ascend
  attempts      smallint not null,
  due           boolean not null,       -- false: waits for ready_at; true: waits for room
  route         text,
  tenant        text not null,
  constraint a_model_or_a_route_is_named check ((model is null) <> (route is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index backlog_of_model on sluice.backlog (model, rank, ready_at, task_id) where due and model is not null;
create index backlog_of_route on sluice.backlog (route, rank, ready_at, task_id) where due and route is not null;
create index backlog_later on sluice.backlog (ready_at) where not due;

create table sluice.queue (
  task_id       bigint not null,
  ready_at      timestamptz not null,
  deadline      timestamptz,
  model         int not null,
  request_bytes int not null,
  fence         int not null,
  rank          smallint not null,
  attempts      smallint not null
);

create table sluice.lease (
  task_id         bigint primary key,
  worker          bigint not null,
  ready_at        timestamptz not null,
  started_at      timestamptz not null,
  deadline        timestamptz,
  reserved_tokens bigint not null default 0,
  model           int not null,
  request_bytes   int not null,
  fence           int not null,
  rank            smallint not null,
  attempts        smallint not null,    -- charged before this call
  constraint fence_is_positive check (fence > 0)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index lease_of_worker on sluice.lease (worker);

create table sluice.attempt (
  id            bigint generated always as identity primary key,
  task_id       bigint not null,
  worker        bigint,
  started_at    timestamptz,
  ended_at      timestamptz not null,
  fence         int not null,
  input_tokens  int,
  output_tokens int,
  http_status   smallint,
  billed        boolean,                -- null: nobody knows
  kind          text not null,
  model         text,
  error_code    text,
  error         text,
  answer        text,                   -- of a late result: kept for audit, never applied
  response      text,
  constraint kind_is_known check (kind in ('retry', 'failed', 'lost', 'late'))
);
create index attempt_of_task on sluice.attempt (task_id);

create table sluice.idempotency (
  tenant         text not null,
  key_sha256     bytea not null,
  task_id        bigint not null,
  content_sha256 bytea not null,
  primary key (tenant, key_sha256)
);

create table sluice.worker (
  id            bigint primary key,     -- random, 63 bits: never guessed, never used twice
  name          text not null,
  slots         int not null,
  models        text[],                 -- null: all
  version       text,
  registered_at timestamptz not null,
  seen          timestamptz not null,
  beating_since timestamptz not null,   -- start of the present run of heartbeats without a lapse
  suspected_at  timestamptz,            -- a tick saw it lapsed then
  dead_at       timestamptz,            -- never claims again; the row is kept for a day
  constraint slots_are_positive check (slots > 0)
) with (fillfactor = 50, vacuum_truncate = off);

create table sluice.lane (
  id   int generated always as identity primary key,
  line text not null,                   -- queue_<model id>, backlog_<model id>, route_<route>
  rank smallint not null,
  unique (line, rank)
);

-- When the next sweep may run, in microseconds since the epoch. Unlogged: reset means "now".
create unlogged sequence sluice.sweep_after minvalue 0;
create index attempt_lost_by_worker on sluice.attempt (worker) where kind = 'lost';
