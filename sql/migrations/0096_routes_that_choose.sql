-- Routes that choose the cheapest or the fastest of their models, and how fast models have been.

-- What a route goes by. A trigger keeps it the same in all rows of a route.
alter table sluice.routes add column prefer text not null default 'weight',
  add constraint prefer_is_weight_cost_latency_or_balanced
    check (prefer in ('weight', 'cost', 'latency', 'balanced'));

-- Whether a route that does not go by weights has it; a trigger keeps it, so that calls of other
-- models note nothing.
alter table sluice.models add column is_compared boolean not null default false;

-- How fast models have been of late: sums over their calls, in which each counts the less the
-- longer ago it ended. Rows are added, never changed: the newest counts, as of sluice.meter.
create unlogged table sluice.speed (
  model   int not null,
  n       bigint not null,
  at      timestamptz not null,
  seconds double precision not null,   -- that calls took
  tokens  double precision not null,   -- that they put out
  solved  double precision not null,   -- how many of them
  slowest double precision not null    -- seconds of the slowest one, which fades, too
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  vacuum_truncate = off);
create index speed_of_model on sluice.speed (model, n desc);
analyze sluice.speed;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- What a client may change of a route.
create type sluice.route_change as (prefer text);

-- What route_choices returns.
create type sluice.route_choice as (
  route        text,
  model        text,
  prefer       text,
  weight       real,
  share        double precision,
  ms_per_token double precision,
  in_flight    int,
  price        numeric,
  slow_s       double precision,
  blocked      text
);

-- A model as a route compares it with others.
create type sluice.rival as (
  model    int,
  seconds  double precision,   -- per output token; null: not known
  calls    int,                -- under way
  price    double precision,   -- in nano-units, of a call of 1,000 tokens; infinity: not known
  slowest  double precision    -- seconds of a slow call; 0: not known
);
