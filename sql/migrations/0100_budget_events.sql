-- Budgets: tasks wait until there is room for them, exhaustion is noted, changes have revisions.

-- What the call of a waiting task may cost, in nano-units, and its place among the others: it tries
-- again once so much is left. Null: that would not help it, it waits for its time.
alter table sluice.budget_wait add column need numeric, add column rank smallint not null default 0;
drop index sluice.budget_wait_of_budget;
create index budget_wait_in_order on sluice.budget_wait (budget, rank, task_id);
create index budget_wait_by_need on sluice.budget_wait (budget, need);

-- When a task found the budget exhausted, in its present window (null: none has); and the limit as
-- it is set.
alter type sluice.budget_row add attribute exhausted_at timestamptz,
  add attribute limit_nanos numeric;

-- What a call may cost, for each of its budgets. Between internal functions.
create type sluice.budget_need as (
  place   bigint,     -- of the task in the claim
  task_id bigint,
  budget  int,
  nanos   numeric,    -- null: any sum
  why     text        -- then: unpriced, unbounded
);

alter table sluice.revision drop constraint kind_is_a_table,
  add constraint kind_is_a_table
    check (kind in ('models', 'routes', 'tenants', 'settings', 'budgets'));
