-- What a submit must know besides its model, in one row, so that it need not look into five tables for what is seldom there.
-- See sql/functions/13_gate.sql, which fills it.
create table sluice.gate (
  one               boolean primary key default true,
  request_bytes_max int not null,
  max_unfinished    bigint not null,
  full_at           bigint not null,    -- the gauge of a model without a bound of its own
  look_from         bigint not null,    -- ids from here on look for their partition: all below have two more ranges ahead
  is_guarded        boolean not null,   -- not everybody may act for every tenant
  has_tenants       boolean not null,
  bounds_others     boolean not null,   -- tenants without a row may have too much: by the settings, or some tenant is full
  counts_others     boolean not null,   -- there may be so many of them
  bounds_models     boolean not null,   -- some model has a bound of its own
  limits_tokens     boolean not null,   -- some model has tokens a minute
  constraint there_is_one_gate check (one)
);
-- Whatever it is: all is looked at.
insert into sluice.gate (request_bytes_max, max_unfinished, full_at, look_from, is_guarded, has_tenants, bounds_others, counts_others,
  bounds_models, limits_tokens)
select request_bytes_max, max_unfinished, 0, 0, true, true, true, true, true, true from sluice.settings;

-- A task that passed its checks: for the procedure of its line.
create type sluice.submission as (
  id                bigint,
  created_at        timestamptz,
  run_at            timestamptz,
  deadline          timestamptz,
  batch_id          bigint,
  model             int,
  max_output_tokens int,
  priority          smallint,
  max_attempts      smallint,
  route             text,
  api               text,
  tenant            text,
  traceparent       text,
  metadata          jsonb,
  prompt            text,
  request           text,
  later             boolean,    -- run_at is to come
  request_bytes     int,
  full_at           bigint,     -- the model's gauge
  max_queue         int         -- of the line
);
