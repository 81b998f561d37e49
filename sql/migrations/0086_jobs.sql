-- Bulk actions as jobs of the server: what is to be done to which tasks, how far each has come, and
-- what its undoing needs.

create table sluice.job (
  id            bigint generated always as identity primary key,
  matched       bigint not null,          -- tasks that met the filter when it was started
  done          bigint not null default 0,
  skipped       bigint not null default 0,  -- met the filter, but do not fit the target
  undone        bigint not null default 0,
  created_at    timestamptz not null,
  started_at    timestamptz,              -- its first step
  finished_at   timestamptz,
  look_at       timestamptz not null,     -- no step before
  undo_until    timestamptz,              -- its parts are kept until then; null: it has no undo
  model         int,                      -- the model that the filter names
  parts         int not null default 0,   -- written so far
  failures      int not null default 0,   -- of steps, since the last that did not fail
  priority      smallint,                 -- of prioritise
  is_estimate   boolean not null,         -- matched is one
  state         text not null default 'running',
  action        text not null,
  target        text,                     -- of move: a model or route
  scope         text not null,            -- for whose tasks its caller may act
  tenants       text[] not null,          -- those of scope tenants
  who           name not null,            -- the login that started it
  api_key       text,                     -- and the key for which it did
  filter        jsonb not null,           -- as it was given
  position      jsonb not null,           -- where the next step begins
  error         text,                     -- why the last step failed
  constraint state_is_known check (state in ('running', 'cancelling', 'cancelled', 'done',
    'undoing', 'undone', 'failed')),
  constraint action_is_known check (action in ('redrive', 'cancel', 'move', 'prioritise',
    'forget')),
  constraint scope_is_known check (scope in ('all', 'without_role', 'tenants'))
) with (fillfactor = 50);  -- each step updates its row, in place
create index job_open on sluice.job (id) where state in ('running', 'cancelling', 'undoing');
create index job_finished on sluice.job (finished_at) where finished_at is not null;
analyze sluice.job;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- A task before a job acted on it.
create type sluice.job_task as (
  task_id   bigint,
  queued_at timestamptz,    -- this and the next three: of the result that was taken back
  cost      numeric,
  attempts  smallint,
  status    text,
  fence     int,
  model     int,            -- that it named
  route     text,
  api       text,
  priority  smallint
);

-- What the steps of a job did, a row a step, so that it can be undone. Deleted as it is undone, or
-- when its time is over.
create table sluice.job_part (
  job   bigint not null references sluice.job on delete cascade,
  n     int not null,
  tasks sluice.job_task[] not null,
  primary key (job, n)
);
analyze sluice.job_part;

-- What a client writes to start one.
create type sluice.job_request as (
  action   text,
  filter   jsonb,
  "to"     text,
  priority int,
  dry_run  boolean
);

-- When the next step of any job may begin, in microseconds since the epoch. A reset means "now".
create unlogged sequence sluice.jobs_after minvalue 0;

-- The filter of a job, as clients write it.
create type sluice.job_conditions as (
  status     text,
  model      text,
  route      text,
  tenant     text,
  batch_id   bigint,
  since      timestamptz,
  until      timestamptz,
  error_code text,
  error_like text,
  metadata   jsonb,
  message    text,
  everything boolean
);

-- Conditions that only jobs have, and whose tasks are meant at all.
alter type sluice.task_filter
  add attribute status text,
  add attribute message text,            -- normalised
  add attribute not_model int,           -- tasks that are there already are not meant
  add attribute not_route text,
  add attribute not_priority smallint,
  add attribute is_bound boolean,        -- as in caller_scope
  add attribute tenants text[];
