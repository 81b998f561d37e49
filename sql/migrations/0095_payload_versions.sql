-- Versions of payloads: which one a task has, which a worker serves, what a payload of it must look
-- like, and the lines in which tasks of a version wait.

create table sluice.payload_schema (
  target     text not null,        -- a model or route
  version    text not null,
  schema     jsonb,                -- null: nothing is checked
  created_at timestamptz not null default now(),
  primary key (target, version),
  constraint version_has_1_to_50_letters_digits_dots_and_dashes
    check (version ~ '^[A-Za-z0-9._+-]{1,50}$')
);

-- Null: it has none, and any worker may have it.
alter table sluice.task add column schema_version text;
alter table sluice.worker add column schema_versions text[];  -- that it serves; null: all

-- A line may be of one version, then also of a model.
alter table sluice.route_line alter column route drop not null,
  add column model int,
  add column version text,
  drop constraint a_route_has_one_line_for_each_api,
  add constraint a_route_has_one_line_for_each_api_and_version
    unique nulls not distinct (route, api, model, version),
  add constraint a_line_is_of_a_route_or_a_version_of_a_model
    check (case when model is null then route is not null
      else route is null and api is null and version is not null end);
create index route_line_of_model on sluice.route_line (model) where model is not null;
create index route_line_of_version on sluice.route_line (version) where version is not null;
