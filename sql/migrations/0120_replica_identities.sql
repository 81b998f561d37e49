-- Somebody may publish all tables, as for change data capture: then PostgreSQL refuses to update
-- and delete rows of a table without a key.
alter table sluice.budget_spent replica identity full;
alter table sluice.history_row replica identity full;
alter table sluice.queue replica identity full;
alter table sluice.ready_line replica identity full;
alter table sluice.spent replica identity full;
alter table sluice.unlisted_tenant replica identity full;
