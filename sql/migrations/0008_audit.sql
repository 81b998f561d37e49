-- One row for each thing an administrator did; insert-only, kept 400 days, the newest million at most (sluice.forget_audit).
create table sluice.audit (
  id     bigint generated always as identity primary key,
  at     timestamptz not null,
  who    name not null,
  action text not null,
  object text,
  detail jsonb
);
