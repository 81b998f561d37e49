-- Quotas in tokens, tenants' quotas, and the breaker.

-- One quota, in requests or in tokens, of a model or of a tenant: see sql/functions/22_permits.sql.
create type sluice.quota as (
  bucket      text,          -- the unlogged sequence with its theoretical arrival time
  account     int,           -- where its units are booked in sluice.spent; null: requests, which are not booked
  units       int,           -- so many a minute
  burst       int,
  interval_ns bigint,
  changed_at  timestamptz
);

-- Tokens by the moment of the claim that reserved them, corrected when the call is settled. account: a model's id, or
-- minus a tenant's. Insert-only but for its cleaning; scans look at the last minute.
create table sluice.spent (
  at      timestamptz not null,
  tokens  bigint not null,
  account int not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off);
create index spent_of_account on sluice.spent (account, at);
create index spent_by_time on sluice.spent (at);
-- Up to when old rows of sluice.spent are cleaned away, in microseconds since the epoch. Unlogged: reset means "never".
create unlogged sequence sluice.spent_until minvalue 0;

-- A tenant's quota is looked at in the queue and settled with the lease.
alter table sluice.queue add column tenant text not null default 'default';
alter table sluice.lease add column tenant text not null default 'default';
update sluice.queue q set tenant = t.tenant from sluice.task t where t.id = q.task_id and t.tenant <> 'default';
update sluice.lease l set tenant = t.tenant from sluice.task t where t.id = l.task_id and t.tenant <> 'default';
-- Who forgets the tenant is told so.
alter table sluice.queue alter column tenant drop default;
alter table sluice.lease alter column tenant drop default;

alter table sluice.tenants
  add column id int generated always as identity unique,
  -- Set by a trigger whenever rpm or tpm change: the buckets restart empty at this moment.
  add column limits_changed_at timestamptz,
  add constraint rpm_is_at_most_6_million check (rpm <= 6000000);
-- Empty as long as nobody has such a quota: that is all that submits and claims look at then.
create index models_with_tpm on sluice.models (name) where tpm is not null;
create index tenants_with_quota on sluice.tenants (name) where rpm is not null or tpm is not null;

-- The breaker of each model that ever had a transition; no row: closed. Written on transitions and for probes only.
create table sluice.breaker (
  model       int primary key,
  state       text not null,
  since       timestamptz not null,
  reason      text,
  successes   int not null default 0,   -- of probes, since it is half open
  probe_task  bigint,                   -- the one call that a half-open breaker lets through
  probe_fence int,
  constraint state_is_known check (state in ('closed', 'open', 'half_open'))
);
create index breaker_not_closed on sluice.breaker (model) where state <> 'closed';
create table sluice.breaker_event (
  id         bigint generated always as identity primary key,
  at         timestamptz not null,
  model      int not null,
  from_state text not null,
  to_state   text not null,
  reason     text
);
create index breaker_event_of_model on sluice.breaker_event (model, id);

-- What sql/functions/02_models.sql makes for new models.
do $$
declare
  v_model int;
begin
  for v_model in select id from sluice.models loop
    execute format('create unlogged sequence sluice.%I minvalue 0', 'tokens_' || v_model);
    execute format('create unlogged sequence sluice.%I minvalue 0', 'learned_' || v_model);
    execute format('create unlogged sequence sluice.%I minvalue 0', 'failures_' || v_model);
    perform setval(format('sluice.%I', 'tokens_' || v_model)::regclass, 0),
      setval(format('sluice.%I', 'failures_' || v_model)::regclass, 0);
  end loop;
  for v_model in select id from sluice.tenants where rpm is not null or tpm is not null loop
    execute format('create unlogged sequence sluice.%I minvalue 0', 'tenant_bucket_' || v_model);
    execute format('create unlogged sequence sluice.%I minvalue 0', 'tenant_tokens_' || v_model);
  end loop;
end
$$;

-- They take a quota now, not a model.
drop function if exists sluice.bucket(sluice.models, timestamptz), sluice.mend_bucket(sluice.models, timestamptz),
  sluice.take_permits(sluice.models, int, timestamptz);
