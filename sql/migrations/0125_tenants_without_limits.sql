-- Those whose submits need no look at their row (gate_tenants names the first of them).
-- gate.has_tenants is read no more.
create index tenants_without_limits on sluice.tenants (name)
where max_unfinished is null and max_priority is null and models is null and tpm is null;
