-- A tenant's batches are listed, and counted, without those of others.
create index batch_of_tenant on sluice.batch (coalesce(tenant, 'default'), id);
