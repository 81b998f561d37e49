-- Tiers of a route's models, and fallbacks: where a task goes that its model cannot serve.

alter table sluice.routes add column tier int not null default 1,
  add constraint tier_is_between_1_and_100 check (tier between 1 and 100);

create table sluice.fallbacks (
  target   text not null,        -- a model or route
  cause    text not null,
  to_model text not null references sluice.models (name) on update cascade on delete cascade,
  primary key (target, cause),
  constraint cause_is_known
    check (cause in ('context_too_long', 'content_refused', 'over_budget', 'breaker_open')),
  constraint a_fallback_leads_to_another_model check (target <> to_model)
);
create index fallbacks_to_model on sluice.fallbacks (to_model);
analyze sluice.fallbacks;  -- for the reason in 0002_settings_models_routes_tenants.sql

-- rerouted: its task went to the model fallback_to; there was no call if it has no started_at. Not
-- validated: a scan would hold the lock, and the rows that are there met a narrower constraint.
alter table sluice.attempt add column fallback_to text,
  drop constraint kind_is_known,
  add constraint kind_is_known check (kind in ('retry', 'failed', 'lost', 'late', 'redriven',
    'hedged', 'returned', 'rerouted')) not valid,
  add constraint a_rerouted_task_goes_to_a_model
    check ((kind = 'rerouted') = (fallback_to is not null)) not valid;
