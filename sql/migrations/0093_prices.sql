-- What models cost, now and before, and which tokens calls had besides input and output.

-- Prices in nano-units (thousand-millionths) of one currency. The rows of a model with the same
-- valid_from are one list; a list holds until the next one begins. numeric, because bigint would
-- round 0.15, which somebody means in whole units, to 0.
create table sluice.prices (
  model        text not null references sluice.models (name) on update cascade on delete cascade,
  valid_from   timestamptz not null default clock_timestamp(),
  above_tokens int not null default 0,       -- of calls with more input tokens than this
  input        numeric,                      -- of a million tokens; null: not known
  cached_input numeric,                      -- null: as input
  cache_write  numeric,                      -- null: as input
  output       numeric,                      -- null: not known
  per_request  numeric not null default 0,   -- of a call, beside its tokens
  primary key (model, valid_from, above_tokens),
  constraint valid_from_is_a_time check (isfinite(valid_from)),
  constraint above_tokens_is_not_negative check (above_tokens >= 0),
  constraint prices_are_whole_nano_units_and_0_or_at_least_1000 check (
    coalesce(input = trunc(input) and (input = 0 or input between 1000 and 1e18), true)
    and coalesce(cached_input = trunc(cached_input)
      and (cached_input = 0 or cached_input between 1000 and 1e18), true)
    and coalesce(cache_write = trunc(cache_write)
      and (cache_write = 0 or cache_write between 1000 and 1e18), true)
    and coalesce(output = trunc(output) and (output = 0 or output between 1000 and 1e18), true)
    and per_request = trunc(per_request) and per_request between 0 and 1e18)
);
analyze sluice.prices;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- Whether it has rows there; a trigger keeps it, so that calls of other models look nowhere.
alter table sluice.models add column is_priced boolean not null default false;

-- What set_price takes: prices in whole units.
create type sluice.pricing as (
  input        numeric,
  cached_input numeric,
  cache_write  numeric,
  output       numeric,
  per_request  numeric,
  above_tokens int,
  valid_from   timestamptz
);

-- What price_rows returns, in whole units.
create type sluice.price_row as (
  model        text,
  valid_from   timestamptz,
  above_tokens int,
  input        numeric,
  cached_input numeric,
  cache_write  numeric,
  output       numeric,
  per_request  numeric,
  in_force     boolean      -- whether it is of the list that holds now
);

-- Tokens of a call beside those of sluice.outcome, of which they are a part. Null: not known.
create type sluice.usage as (
  cached_tokens      int,
  cache_write_tokens int,
  reasoning_tokens   int
);
alter table sluice.result add column cached_tokens int, add column cache_write_tokens int,
  add column reasoning_tokens int;
alter table sluice.attempt add column cached_tokens int, add column cache_write_tokens int,
  add column reasoning_tokens int, add column cost numeric;
alter table sluice.history_row
  add column cached_tokens bigint not null default 0,
  add column cache_write_tokens bigint not null default 0,
  add column reasoning_tokens bigint not null default 0,
  add column wasted_cost numeric not null default 0;
