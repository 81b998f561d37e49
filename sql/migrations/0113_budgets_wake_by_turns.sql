-- Tasks that wait for a budget go on by turns of their tenants. Those that wait already count as
-- one tenant's, until they have gone on.
alter table sluice.budget_wait add column tenant text not null default '';
create index budget_wait_by_turns on sluice.budget_wait (budget, rank, tenant, task_id);
drop index sluice.budget_wait_in_order;
