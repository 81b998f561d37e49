-- What the configuration was before each change, and what the console searches for.

-- One row for each row of models, routes, tenants or settings that somebody changed, written by
-- triggers (1_base/revisions.sql). The newest 100,000 are kept, for 400 days at most.
create table sluice.revision (
  id      bigint generated always as identity primary key,
  at      timestamptz not null,
  who     name not null,       -- the login
  api_key text,                -- the key for which the HTTP front acted
  kind    text not null,       -- the table
  name    text,                -- of the model, route or tenant; null: the settings
  action  text not null,
  before  jsonb,               -- the columns that changed; null: there was no row
  after   jsonb,               -- null: there is none
  reverts bigint,              -- the revision that this one takes back
  constraint kind_is_a_table check (kind in ('models', 'routes', 'tenants', 'settings')),
  constraint action_is_known check (action in ('insert', 'update', 'delete'))
);
create index revision_of_name on sluice.revision (kind, name, id);

-- Readings of texts have a bound of their own in the audit (forget_audit).
create index audit_of_readings on sluice.audit (id) where action = 'read_texts';
create index audit_of_others on sluice.audit (id) where action <> 'read_texts';

-- The body of POST /v1/revisions/{id}/revert.
create type sluice.reverting as (force boolean);

-- Where a trace is shown, for links: {trace_id} stands for its id.
alter table sluice.settings add column trace_url text,
  add constraint trace_url_is_http_and_has_a_trace_id check (
    trace_url ~ '^https?://[^[:space:][:cntrl:]]+$' and strpos(trace_url, '{trace_id}') > 0
    and length(trace_url) <= 2000);

-- What a search asks for; its columns are the arguments of GET /v1/tasks/search.
create type sluice.search_conditions as (
  status         text,
  model          text,         -- or a route
  tenant         text,
  batch_id       bigint,
  priority       int,
  since          timestamptz,  -- submitted from then on
  until          timestamptz,  -- and before then
  error_code     text,
  metadata_key   text,
  metadata_value text,
  text           text,         -- in prompt, request, answer, response or error
  before         bigint,       -- ids below this one
  "limit"        int
);

-- A task without its texts.
create type sluice.found_task as (
  id            bigint,
  status        text,
  route         text,
  model         text,
  tenant        text,
  priority      int,
  attempts      int,
  error_code    text,
  error         text,
  batch_id      bigint,
  metadata      jsonb,
  created_at    timestamptz,
  queued_at     timestamptz,
  started_at    timestamptz,
  finished_at   timestamptz,
  run_at        timestamptz,
  deadline      timestamptz,
  cost          numeric,
  input_tokens  int,
  output_tokens int
);

-- Failed tasks of one model with the same error code and, but for numbers, the same message.
create type sluice.error_group as (
  model      text,
  error_code text,
  message    text,
  count      bigint,
  first_at   timestamptz,
  last_at    timestamptz,
  sample_id  bigint            -- the newest of them
);

-- What happened to a task: a row of sluice.timeline.
create type sluice.task_event as (
  at            timestamptz,
  kind          text,
  status        text,
  model         text,
  worker        text,          -- its name, or its id
  fence         int,
  wait_s        double precision,
  call_s        double precision,
  http_status   int,
  error_code    text,
  error         text,
  input_tokens  int,
  output_tokens int,
  billed        boolean,
  cost          numeric
);
