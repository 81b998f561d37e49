-- Every submit asks whether a tenant has a role or a limit in tokens: with thousands of tenants not by reading them all.
create index tenants_with_tpm on sluice.tenants (name) where tpm is not null;
create index tenants_with_role on sluice.tenants (name) where role is not null;
