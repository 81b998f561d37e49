-- What a call would have cost by what its backend told, if that is more than was held for it by a
-- hard budget: a backend cannot book more than a call can have. And whose call it is: no other
-- worker's late answer settles it; null: it began before there was this column.
alter table sluice.budget_call add column told_nanos numeric, add column worker bigint;
create index budget_call_told on sluice.budget_call (model) where told_nanos is not null;
