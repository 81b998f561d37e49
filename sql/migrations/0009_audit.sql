-- Who did what, and which tenants belong to a database role.

create index tenants_with_a_role on sluice.tenants (role) where role is not null;
