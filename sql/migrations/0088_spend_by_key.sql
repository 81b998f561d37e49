-- Which key of the HTTP front submitted a task, and what each key's tasks came to.

-- Null: it came without a key, as all tasks from SQL do; a null takes no place in a row.
alter table sluice.task add column api_key text;
alter table sluice.batch add column api_key text;  -- for its tasks

-- By hour and day. Beside sluice.history_row and not in it, because that one's key would have to be
-- built anew; without times, because they are the models' and not the keys'.
create table sluice.key_history_row (
  step          text not null,
  at            timestamptz not null,  -- when it begins, in UTC
  api_key       text not null,
  model         text not null,         -- '': of tasks that ended without one
  tenant        text not null,
  solved        bigint not null default 0,
  failed        bigint not null default 0,
  cancelled     bigint not null default 0,
  expired       bigint not null default 0,
  retries       bigint not null default 0,
  hedges        bigint not null default 0,
  input_tokens  bigint not null default 0,
  output_tokens bigint not null default 0,
  wasted_tokens bigint not null default 0,
  cost          numeric not null default 0,
  constraint a_step_is_an_hour_or_a_day check (step in ('hour', 'day')),
  primary key (step, at, api_key, model, tenant)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
analyze sluice.key_history_row;  -- for the reason in 0002_settings_models_routes_tenants.sql
