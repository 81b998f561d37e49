-- What a tenant may have and ask for. A column of sluice.tenants that is null has the value of the settings' column tenant_…, and
-- where that is null, too, there is no limit (sluice.limits_of).
alter table sluice.tenants
  add column max_batches int,          -- open ones
  add column max_files int,
  add column files_bytes_max bigint,
  add column max_priority smallint,
  add column models text[],            -- the models and routes that its tasks may name
  add constraint max_batches_is_not_negative check (max_batches >= 0),
  add constraint max_files_is_not_negative check (max_files >= 0),
  add constraint files_bytes_max_is_not_negative check (files_bytes_max >= 0),
  add constraint max_priority_is_between_0_and_100 check (max_priority between 0 and 100),
  add constraint models_are_a_list_of_names check (array_ndims(models) = 1 and array_position(models, null) is null or models = '{}');

alter table sluice.settings
  add column max_tenants int default 10000,   -- with tasks and without a row in sluice.tenants
  add column tenant_max_unfinished bigint default 1000000,
  add column tenant_max_batches int default 1000,
  add column tenant_max_files int default 100000,   -- a batch leaves up to three for 30 days: a thousand batches a day
  add column tenant_files_bytes_max bigint default 10737418240,
  add column tenant_max_priority smallint,
  add column tenant_models text[],
  add constraint max_tenants_is_between_0_and_1_million check (max_tenants between 0 and 1000000),
  add constraint tenant_max_unfinished_is_positive check (tenant_max_unfinished > 0),
  add constraint tenant_max_batches_is_not_negative check (tenant_max_batches >= 0),
  add constraint tenant_max_files_is_not_negative check (tenant_max_files >= 0),
  add constraint tenant_files_bytes_max_is_not_negative check (tenant_files_bytes_max >= 0),
  add constraint tenant_max_priority_is_between_0_and_100 check (tenant_max_priority between 0 and 100),
  add constraint tenant_models_are_a_list_of_names
    check (array_ndims(tenant_models) = 1 and array_position(tenant_models, null) is null or tenant_models = '{}');

-- An installation that is at work is refused nothing that it was granted yesterday.
update sluice.settings
set max_tenants = null, tenant_max_unfinished = null, tenant_max_batches = null, tenant_max_files = null, tenant_files_bytes_max = null
where exists (select from sluice.models);

create index tenants_with_rights on sluice.tenants (name) where max_priority is not null or models is not null;
create index api_key_tenant on sluice.api_key (tenant) where tenant is not null and revoked_at is null;

-- What holds for one tenant: its row's columns, or the settings'. Null: no limit.
create type sluice.tenant_limits as (
  max_unfinished bigint, max_batches int, max_files int, files_bytes_max bigint, max_priority smallint, models text[], tpm int,
  is_listed boolean, is_full boolean);

-- Tenants without a row, as they come: so many may have tasks. Without a unique index: a submit would wait for the open transaction
-- of another one of its tenant.
create table sluice.unlisted_tenant (
  tenant   text not null,
  noted_at timestamptz not null
);
create index unlisted_tenant_name on sluice.unlisted_tenant (tenant);
-- Tenants that had settings.tenant_max_unfinished tasks at the last look at them all.
create table sluice.full_tenant (
  tenant text primary key,
  tasks  bigint not null
);
-- When the tenants are looked at next (sluice.look_at_tenants), in microseconds since the epoch.
create unlogged sequence sluice.tenants_after minvalue 0 start 0;

-- When the last step of a batch of this tenant was made: steps are made in turns (79_batch_work.sql).
create table sluice.batch_turn (
  tenant     text primary key,
  stepped_at timestamptz not null
);
create index batch_open on sluice.batch (coalesce(tenant, 'default')) where phase <> 'done';

-- It takes the tenant now.
drop function if exists sluice.model_fault(text, text);
