-- refresh_gate: brings sluice.gate up to date; called by whatever changes what it says, after the change.
-- What may be too much is noted at once, by who makes it so, under the row's lock; what is no more only by tick: until then submits
-- look for nothing. Hence a row or a bound that goes needs no call.
-- Params:  p_wait: for the row; false: if somebody has it, leave it to the next tick. An administrator's open transaction stops no tick.
create or replace function sluice.refresh_gate(p_wait boolean) returns void
language plpgsql volatile
as $$
begin
  if p_wait then
    perform from sluice.gate for update;
  else
    perform from sluice.gate for update skip locked;
    if not found then
      return;
    end if;
  end if;
  -- A statement of its own, after the lock: it sees what those before it have committed.
  with now as materialized (
    select s.request_bytes_max, s.max_unfinished, ceil(sluice.overflow_share() * s.max_unfinished)::bigint as full_at,
      coalesce((select r.first_id from sluice.id_range r order by r.first_id desc offset 1 limit 1), 0) as look_from,
      s.default_role is distinct from 'public' or exists (select from sluice.tenants where role is not null) as is_guarded,
      exists (select from sluice.tenants) as has_tenants,
      num_nonnulls(s.tenant_max_priority, s.tenant_models) > 0 or exists (select from sluice.full_tenant) as bounds_others,
      s.max_tenants is not null as counts_others,
      exists (select from sluice.models where max_unfinished is not null or max_queue is not null) as bounds_models,
      exists (select from sluice.models where tpm is not null) as limits_tokens
    from sluice.settings s)
  update sluice.gate g set (request_bytes_max, max_unfinished, full_at, look_from, is_guarded, has_tenants, bounds_others, counts_others,
    bounds_models, limits_tokens) = (select n.* from now n)
  from now n
  where (g.request_bytes_max, g.max_unfinished, g.full_at, g.look_from, g.is_guarded, g.has_tenants, g.bounds_others, g.counts_others,
    g.bounds_models, g.limits_tokens) is distinct from n;
end
$$;

-- after_gate_changes: refresh_gate, as a trigger.
create or replace function sluice.after_gate_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.refresh_gate(true);
  return null;
end
$$;

create or replace trigger refresh_gate_after_settings after update on sluice.settings
  for each statement execute function sluice.after_gate_changes();
create or replace trigger refresh_gate_after_tenants after insert or update of name, role on sluice.tenants
  for each statement execute function sluice.after_gate_changes();
create or replace trigger refresh_gate_after_new_model after insert on sluice.models
  for each row when (num_nonnulls(new.tpm, new.max_unfinished, new.max_queue) > 0) execute function sluice.after_gate_changes();
create or replace trigger refresh_gate_after_model after update on sluice.models
  for each row when ((old.tpm, old.max_unfinished, old.max_queue) is distinct from (new.tpm, new.max_unfinished, new.max_queue))
  execute function sluice.after_gate_changes();
do $$ begin perform sluice.refresh_gate(true); end $$;
