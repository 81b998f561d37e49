-- Whose batch makes the next step, and when one that waits looks again.

-- batch_turns: the open batches that are due, in the order of their turns: from the tenant whose
-- steps have taken the least time, the batch that has waited longest. So a tenant's batches wait
-- for other tenants' only in proportion to the time that they take themselves, however many batches
-- the others have or had, and however long a step of theirs takes. Null: clearing away what is old,
-- which has the turns of a tenant without a name.
create or replace function sluice.batch_turns(p_now timestamptz) returns setof bigint
language plpgsql stable
as $$
begin
  return query
  select d.id from (
    select b.id, coalesce(b.tenant, 'default') as tenant, b.look_at from sluice.batch b
    where b.phase <> 'done' and b.look_at <= p_now
    union all select null, '', null) d
  left join sluice.batch_turn t on t.tenant = d.tenant
  order by t.finish_tag nulls first, d.look_at, d.id limit 20;
end
$$;

-- charge_turn: charges the time of a step to its tenant: start-time fair queueing. A step starts
-- where the tenant's last one finished or, if that is lower, where the step made last started, so
-- that nobody saves up turns. The order does not depend on the clock.
-- Params:  p_cost_us: counted as 1 us at least and 10 s at most: a clock that was set back or
--          forward must not decide whose turn it is.
create or replace function sluice.charge_turn(p_tenant text, p_cost_us bigint, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_cost_us bigint := least(greatest(p_cost_us, 1), 10000000);
  v_virtual_us bigint := (select coalesce(max(t.start_tag), 0) from sluice.batch_turn t);
begin
  insert into sluice.batch_turn as t (tenant, stepped_at, start_tag, finish_tag)
  values (p_tenant, p_now, v_virtual_us, v_virtual_us + v_cost_us)
  on conflict (tenant) do update set stepped_at = excluded.stepped_at,
    start_tag = greatest(t.finish_tag, v_virtual_us),
    finish_tag = greatest(t.finish_tag, v_virtual_us) + v_cost_us;
end
$$;

-- batch_pause: how long a batch that waits rests after a look that began at p_begun: 20 times as
-- long as that took, times the tenant's open batches, so that these together take a twentieth of a
-- core; at most 5 minutes. A hundred that waited for room took half a core.
create or replace function sluice.batch_pause(p_tenant text, p_begun timestamptz) returns interval
language plpgsql volatile
as $$
begin
  return least(interval '5 minutes', 20 * (clock_timestamp() - p_begun) * (
    select count(*) from sluice.batch b where b.phase <> 'done'
      and coalesce(b.tenant, 'default') = coalesce(p_tenant, 'default')));
end
$$;
