-- The gate: one row with everything that a usual submit must know, so that it reads no other table.
-- full_at: the id from which on the system, or a model without a bound of its own, may be full
-- (gauges.sql). look_from: the same, or where a submit may have to create a range of ids
-- (require_range), if that comes first. noted: tenants whose tasks need no look at what bounds a
-- tenant; others may have bounds if a null is among them, else they need a note in
-- sluice.unlisted_tenant, no more. server_started: see note_server.

-- gate_tenants: gate.noted: "default" and 32 others, those first by name, or the row would be
-- written with each that comes. So few, for each submit walks over them, and a longer row would be
-- compressed.
create or replace function sluice.gate_tenants() returns text[]
language sql stable
as $$
  with settings as materialized (
    select num_nonnulls(s.tenant_max_priority, s.tenant_models) > 0
      or exists (select from sluice.full_tenant) as limits, s.max_tenants
    from sluice.settings s),
  unlisted as materialized (
    select distinct u.tenant as name from sluice.unlisted_tenant u
    where octet_length(u.tenant) <= 40 and (select max_tenants is not null from settings)
    order by 1 limit 32),
  named as (
    select 'default' as name where not exists (
      select from sluice.tenants t where t.name = 'default' and num_nonnulls(t.max_unfinished,
        t.max_priority, t.models, t.tpm) > 0)
    union all (   -- none is read where all are limited
      select t.name from sluice.tenants t
      where t.max_unfinished is null and t.max_priority is null and t.models is null
        and t.tpm is null and t.name <> 'default' and octet_length(t.name) <= 40
        and not (select limits from settings)
      order by t.name limit 32)
    union all
    select u.name from unlisted u where u.name <> 'default' and not (select limits from settings)
      and not exists (select from sluice.tenants t where t.name = u.name))
  select array(select n.name from named n order by n.name <> 'default', n.name limit 33)
    || case when s.limits or s.max_tenants is null or exists (select from sluice.tenants)
    then array[null::text] end
  from settings s
$$;

-- refresh_gate: brings sluice.gate up to date. Called after each change of what it contains. A new
-- row or bound that may lead to refusals is entered at once, under the row's lock, by the
-- transaction that makes it; so is a tenant's row that goes, for then there must be a note of it.
-- Anything else that was removed needs no call: tick, retain and sweep take it out, and until then
-- submits only look in vain.
-- Params:  p_wait: for the row's lock; false: if somebody holds it, leave it to the next tick, so
--          that an administrator's open transaction does not stop the tick.
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
    select s.request_bytes_max, s.max_unfinished, b.full_at,
      least(b.full_at, coalesce((select greatest(max(r.first_id),
        max(r.end_id) - sluice.ids_ahead_min() / 2) from sluice.id_range r), 0)) as look_from,
      sluice.is_guarded() as is_guarded,
      exists (select from sluice.models where max_unfinished is not null
        or max_queue is not null) as bounds_models,
      exists (select from sluice.models where tpm is not null) as limits_tokens,
      -- with an older snapshot a tenant might be named that has just got a limit
      case when current_setting('transaction_isolation') = 'read committed'
        then sluice.gate_tenants() else array[null::text] end as noted
    from sluice.settings s
    cross join lateral (
      select case when sluice.gauge_usage('sluice.load_all', true) < sluice.gauge_unknown()
        then g.base + ceil(sluice.overflow_share() * s.max_unfinished)::bigint else 0 end as full_at
      from pg_sequence_last_value('sluice.load_all'::regclass) g(base)) b)
  update sluice.gate g set (request_bytes_max, max_unfinished, full_at, look_from, is_guarded,
    bounds_models, limits_tokens, noted) = (select n.* from now n)
  from now n
  where (g.request_bytes_max, g.max_unfinished, g.full_at, g.look_from, g.is_guarded,
    g.bounds_models, g.limits_tokens, g.noted) is distinct from n;
end
$$;

-- before_gate_changes: takes the row's lock before those of rows that are about to change, for all
-- who change several in one transaction.
create or replace function sluice.before_gate_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform from sluice.gate for update;
  return null;
end
$$;

-- after_gate_changes: refresh_gate as a trigger.
create or replace function sluice.after_gate_changes() returns trigger
language plpgsql security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.refresh_gate(true);
  return null;
end
$$;

create or replace trigger before_gate_settings before update on sluice.settings
  for each statement execute function sluice.before_gate_changes();
create or replace trigger before_gate_tenants
  before insert or delete or update of name, role, max_unfinished, max_priority, models, tpm
  on sluice.tenants
  for each statement execute function sluice.before_gate_changes();
create or replace trigger refresh_gate_after_settings after update on sluice.settings
  for each statement execute function sluice.after_gate_changes();
create or replace trigger refresh_gate_after_tenants
  after insert or delete or update of name, role, max_unfinished, max_priority, models, tpm
  on sluice.tenants
  for each statement execute function sluice.after_gate_changes();
create or replace trigger refresh_gate_after_new_model after insert on sluice.models
  for each row when (num_nonnulls(new.tpm, new.max_unfinished,
      new.max_queue) > 0) execute function sluice.after_gate_changes();
create or replace trigger refresh_gate_after_model after update on sluice.models
  for each row when ((old.tpm, old.max_unfinished, old.max_queue) is distinct from (new.tpm,
    new.max_unfinished, new.max_queue))
  execute function sluice.after_gate_changes();

-- count_system: has the system's gauge known before the first submit. Otherwise every submit would
-- take the long way until a worker or a tick had refreshed the gate (240 us instead of 160, and
-- that in a user's first minutes). Called by migrate; leaves it be if somebody is counting.
create or replace function sluice.count_system() returns void
language plpgsql volatile
as $$
begin
  if coalesce(sluice.gauge_usage('sluice.load_all', true) >= sluice.gauge_unknown(), true) then
    perform sluice.recount_headroom('system', null, 0, s.max_unfinished,
      sluice.full_share('system'))
    from sluice.settings s;
  end if;
exception when lock_not_available then
  null;
end
$$;

do $$ begin perform sluice.count_system(), sluice.refresh_gate(true); end $$;
