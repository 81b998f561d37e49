-- Who did what, and which tenants belong to a database role.

create index tenants_with_a_role on sluice.tenants (role) where role is not null;

-- Granted by earlier releases; functions and views do it now.
revoke all on sluice.task, sluice.backlog, sluice.queue, sluice.lease, sluice.result, sluice.models, sluice.routes,
  sluice.settings from sluice_worker, sluice_reader;
revoke all on sluice.task, sluice.backlog, sluice.queue, sluice.lease, sluice.result from sluice_admin;
revoke all on sequence sluice.models_id_seq from sluice_admin;

-- One row for each thing an administrator did; insert-only, kept 400 days, the newest million at most.
create table sluice.audit (
  id     bigint generated always as identity primary key,
  at     timestamptz not null,
  who    name not null,
  action text not null,
  object text,
  detail jsonb
);
