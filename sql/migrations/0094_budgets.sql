-- Budgets: how much calls may cost in a day, a week, a month or any such time.

create table sluice.budgets (
  name        text primary key,
  scope       text not null,
  subject     text,                            -- whose; of a tag: key=value
  period      text not null default 'day',
  zone        text not null default 'UTC',     -- where its days, weeks and months begin
  rolling     interval,                        -- of period rolling: the time before now that counts
  limit_nanos numeric not null,                -- in nano-units, as sluice.prices
  is_hard     boolean not null default true,   -- false: it only tells
  marks       int[] not null default '{80,100}',  -- of how many per cent it tells
  at_limit    text not null default 'park',
  reroute_to  text references sluice.models (name) on update cascade,
  id          int generated always as identity unique,
  constraint name_is_1_to_200_characters check (length(name) between 1 and 200),
  constraint scope_is_known
    check (scope in ('system', 'model', 'route', 'tenant', 'key', 'tag')),
  constraint subject_is_given_but_for_the_system check ((scope = 'system') = (subject is null)),
  constraint a_tag_is_key_and_value check (scope <> 'tag' or subject ~ '^[^=]+=.'),
  constraint period_is_known check (period in ('day', 'week', 'month', 'rolling')),
  constraint rolling_is_given_for_its_period check ((period = 'rolling') = (rolling is not null)),
  constraint rolling_is_between_1_minute_and_366_days
    check (rolling between interval '1 minute' and interval '366 days'),
  constraint limit_nanos_is_whole_and_at_least_1000
    check (limit_nanos = trunc(limit_nanos) and limit_nanos between 1000 and 1e24),
  constraint marks_are_at_most_10 check (cardinality(marks) <= 10 and 0 < all (marks)),
  constraint at_limit_is_known check (at_limit in ('park', 'refuse', 'reroute')),
  constraint reroute_names_a_model check ((at_limit = 'reroute') = (reroute_to is not null))
);

-- Whether there are budgets at all, in the row that claims and completions read anyway. A trigger
-- keeps it, the same in all rows.
alter table sluice.models add column is_budgeted boolean not null default false;
-- Sent with calls of tasks that have no bound of their own: a hard budget needs one.
alter table sluice.models add column max_output_tokens int,
  add constraint max_output_tokens_is_positive check (max_output_tokens > 0);

-- One row for each call under a budget, and each of these budgets: what it may cost while it is
-- under way (held), then what it has cost (spent), or is taken to have cost, because nobody knows
-- (kept). Ended ones are deleted after a day.
create table sluice.budget_call (
  task_id  bigint not null,
  fence    int not null,
  call     smallint not null,      -- 0; extra ones from 1
  budget   int not null,
  model    text not null,
  at       timestamptz not null,   -- of the claim
  nanos    numeric not null,
  state    text not null default 'held',
  ended_at timestamptz,
  primary key (task_id, fence, call, budget),
  constraint state_is_known check (state in ('held', 'spent', 'kept')),
  constraint it_has_ended_unless_held check ((state = 'held') = (ended_at is null))
);
create index budget_call_held on sluice.budget_call (budget, at) include (nanos)
  where state = 'held';
create index budget_call_by_end on sluice.budget_call (ended_at) where ended_at is not null;

-- The account: held and spent, by the moment of the claim. Rows are added, never changed, so that
-- settling needs no lock; a claim that has the lock replaces old ones by their sum.
create table sluice.budget_spent (
  budget int not null,
  at     timestamptz not null,
  nanos  numeric not null          -- below 0: a call was cheaper than held
);
create index budget_spent_by_time on sluice.budget_spent (budget, at) include (nanos);

-- Why a task waits in sluice.later until that time. A hint: it counts while the times agree.
create table sluice.budget_wait (
  task_id bigint primary key,
  budget  int not null,
  until   timestamptz not null,
  reason  text not null
);
create index budget_wait_of_budget on sluice.budget_wait (budget, task_id);
create index budget_wait_by_time on sluice.budget_wait (until);

-- When a budget reached a mark: once in each window.
create table sluice.budget_mark (
  budget      int not null,
  window_from timestamptz not null,
  per_cent    int not null,
  at          timestamptz not null,
  primary key (budget, window_from, per_cent)
);
analyze sluice.budgets, sluice.budget_call, sluice.budget_spent, sluice.budget_wait,
  sluice.budget_mark;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- What budget_rows returns, in whole units.
create type sluice.budget_row as (
  name        text,
  scope       text,
  subject     text,
  period      text,
  zone        text,
  rolling     interval,
  "limit"     numeric,
  is_hard     boolean,
  at_limit    text,
  reroute_to  text,
  marks       int[],
  spent       numeric,
  held        numeric,
  "left"      numeric,
  window_from timestamptz,
  opens_at    timestamptz,
  waiting     bigint,
  marks_hit   int[]
);

-- A row that a claim leaves, because a budget has nothing left for it. Between internal functions.
create type sluice.over_budget as (
  task_id bigint,
  line    int,
  budget  int,
  why     text,       -- unpriced, unbounded, too_large, spent, held
  need    numeric     -- what the call may cost, in nano-units
);
