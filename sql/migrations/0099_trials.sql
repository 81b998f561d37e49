-- Changes that can be tried: a weight that moves step by step (ramps), and limits, budgets and
-- weights whose effect is counted before they hold (shadows).

-- Why: what the setting sluice.reason said in the transaction of the change.
alter table sluice.revision add column reason text;

-- What a ramp is judged by: calls of its step, of its model and of the route's other models.
create type sluice.ramp_sums as (
  calls         bigint,
  errors        bigint,
  p95_s         double precision,
  others_calls  bigint,
  others_errors bigint,
  others_p95_s  double precision
);

-- One row for each ramp: a model's share of a route that grows in steps. Updated by each step; the
-- newest 1,000 that have ended are kept.
create table sluice.ramp (
  id            bigint generated always as identity primary key,
  route         text not null,
  model         text not null,
  share         double precision not null,  -- of the route's weights, at its end: 0.3
  share_before  double precision not null,
  weight        real not null,              -- as the ramp has set it
  weight_before real not null,
  steps         int not null,
  step          int not null default 0,     -- the one that it is at
  step_time     interval not null,
  stepped_at    timestamptz not null,       -- when that began
  counted       sluice.ramp_sums,           -- of the minute in which it began, before it
  calls_min     int not null,               -- of a step, before it is judged
  error_margin  double precision not null,  -- how much more of its calls may fail: 0.02
  p95_margin    double precision not null,  -- how much longer 95 % of them may take: 0.5
  state         text not null default 'running',
  reason        text not null,              -- what happened to it last, and why
  who           name not null,              -- who started it, as in sluice.revision
  api_key       text,
  started_at    timestamptz not null,
  ended_at      timestamptz,
  constraint share_is_above_0_and_at_most_95_percent check (share > 0 and share <= 0.95),
  constraint steps_are_1_to_100 check (steps between 1 and 100),
  constraint step_time_is_1_second_to_1_day
    check (step_time between interval '1 second' and interval '1 day'),
  constraint calls_min_is_1_to_1000000 check (calls_min between 1 and 1000000),
  constraint error_margin_is_0_to_1 check (error_margin between 0 and 1),
  constraint p95_margin_is_at_least_0 check (p95_margin >= 0),
  constraint state_is_known
    check (state in ('running', 'paused', 'done', 'aborted', 'stopped', 'superseded')),
  constraint it_has_ended_unless_open
    check ((state in ('running', 'paused')) = (ended_at is null))
);
create unique index open_ramp_of_route on sluice.ramp (route) where ended_at is null;

-- What sluice.ramps returns.
create type sluice.ramp_row as (
  id            bigint,
  route         text,
  model         text,
  state         text,
  reason        text,
  share         double precision,
  step          int,
  steps         int,
  step_time     interval,
  stepped_at    timestamptz,
  weight        real,
  weight_before real,
  calls         bigint,
  errors        bigint,
  p95_s         double precision,
  others_calls  bigint,
  others_errors bigint,
  others_p95_s  double precision,
  calls_min     int,
  error_margin  double precision,
  p95_margin    double precision,
  who           text,
  started_at    timestamptz,
  ended_at      timestamptz
);

-- The body of POST /v1/ramps: the arguments of start_ramp.
create type sluice.ramp_request as (
  route        text,
  model        text,
  share        double precision,
  steps        int,
  step_time    interval,
  calls_min    int,
  error_margin double precision,
  p95_margin   double precision,
  reason       text
);

-- One row for each change that is counted before it holds. Updated by each look; the newest 1,000
-- that have ended are kept.
create table sluice.shadow (
  id             bigint generated always as identity primary key,
  kind           text not null,             -- as of sluice.configure; or routes
  name           text not null,
  changes        jsonb not null,
  state          text not null default 'open',
  reason         text,
  who            name not null,
  api_key        text,
  started_at     timestamptz not null,
  ended_at       timestamptz,
  looked_at      timestamptz not null,      -- what began, of budgets ended, by then is counted
  attempt        bigint not null,           -- no attempt before this id began since then
  requests_until timestamptz,               -- how far its buckets are used up: TAT
  tokens_until   timestamptz,
  spent          numeric,                   -- of a budget, since spent_from
  spent_from     timestamptz,
  constraint kind_is_known check (kind in ('models', 'tenants', 'budgets', 'routes')),
  constraint state_is_known check (state in ('open', 'applied', 'dropped')),
  constraint it_has_ended_unless_open check ((state = 'open') = (ended_at is null))
);
create index shadow_open on sluice.shadow (looked_at) where ended_at is null;

-- What a shadow has counted, by hour and model.
create table sluice.shadow_hour (
  shadow   bigint not null references sluice.shadow on delete cascade,
  at       timestamptz not null,            -- when the hour begins
  model    text not null,
  calls    bigint not null,                 -- that the model had
  expected double precision not null,       -- how many of the route's or budget's it would have had
  delayed  bigint not null,                 -- that would have begun later
  delay_s  double precision not null,       -- by so much, all together
  refused  bigint not null,
  primary key (shadow, at, model)
);

-- What sluice.shadows and sluice.shadow_hours return.
create type sluice.shadow_row as (
  id         bigint,
  kind       text,
  name       text,
  changes    jsonb,
  state      text,
  reason     text,
  calls      bigint,
  delayed    bigint,
  delay_s    double precision,
  refused    bigint,
  moved      bigint,
  looked_at  timestamptz,
  who        text,
  started_at timestamptz,
  ended_at   timestamptz
);
create type sluice.shadow_hour_row as (
  at      timestamptz,
  model   text,
  calls   bigint,
  delayed bigint,
  delay_s double precision,
  refused bigint,
  moved   bigint
);

-- The body of POST /v1/shadows: the arguments of start_shadow.
create type sluice.shadow_request as (
  kind    text,
  name    text,
  changes jsonb,
  reason  text
);

-- A call as a shadow reads it. Between internal functions.
create type sluice.begun_call as (
  at     timestamptz,
  model  text,
  tokens bigint
);

-- The bodies of POST /v1/ramps/{route}/… and /v1/shadows/{id}/….
create type sluice.reasoning as (reason text);
