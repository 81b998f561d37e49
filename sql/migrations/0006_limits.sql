-- What bounds the calls: quotas in requests and tokens, the breaker, and the gauge of what is unfinished. Buckets and gauges of models
-- and tenants are unlogged sequences of their own, made by triggers.

-- One quota, in requests or in tokens, of a model or of a tenant (sluice.quota_of).
create type sluice.quota as (
  bucket      text,          -- the unlogged sequence with its theoretical arrival time
  account     int,           -- where its units are booked in sluice.spent; null: requests, which are not booked
  units       int,           -- so many a minute
  burst       int,           -- so many at once
  interval_ns bigint,        -- between two units
  changed_at  timestamptz
);

-- Tokens by the moment of the claim that reserved them, corrected when the call is settled. Insert-only but for its cleaning; scans look
-- at the last minute.
create table sluice.spent (
  at      timestamptz not null,
  tokens  bigint not null,
  account int not null       -- a model's id, or minus a tenant's
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index spent_of_account on sluice.spent (account, at);
create index spent_by_time on sluice.spent (at);
-- Up to when old rows of sluice.spent are cleaned away, in microseconds since the epoch. Unlogged: reset means "never".
create unlogged sequence sluice.spent_until minvalue 0;

-- The breaker of each model; no row: closed. Written on transitions and for probes only.
create table sluice.breaker (
  model       int primary key,
  state       text not null,
  since       timestamptz not null,
  reason      text,
  successes   int not null default 0,   -- of probes, since it is half open
  probe_task  bigint,                   -- the one call that a half-open breaker lets through
  probe_fence int,
  constraint state_is_known check (state in ('closed', 'open', 'half_open'))
);
create index breaker_not_closed on sluice.breaker (model) where state <> 'closed';

-- Its last transitions.
create table sluice.breaker_event (
  id         bigint generated always as identity primary key,
  at         timestamptz not null,
  model      int not null,
  from_state text not null,
  to_state   text not null,
  reason     text
);
create index breaker_event_of_model on sluice.breaker_event (model, id);

-- How many tasks of the whole system are unfinished. Unlogged, and its start means "unknown": after a crash the next submit counts
-- anew.
create unlogged sequence sluice.load_all minvalue 0 start 1000000000000000;
