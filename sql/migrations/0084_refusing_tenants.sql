-- Whose tasks a model has refused in a row, and which tenant it served: a few tenants' refusals
-- park it only while no other tenant's answer is against it.
alter table sluice.refusal
  add column tenants text[] not null default '{}',
  add column witness text,
  add column witnessed_at timestamptz;
