-- What waits for its time goes on by turns of its tenants where more is due than one look takes.
create index later_by_tenant on sluice.later ((hashtextextended(tenant, 0) >> 1), ready_at);
