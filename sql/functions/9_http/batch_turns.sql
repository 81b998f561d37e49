-- Whose batch makes the next step, and when one that waits looks again.

-- batch_turns: the open batches that are due, in the order of their turns: from the tenant whose
-- steps have taken the least time, the batch that has waited longest. So a tenant's batches wait
-- for other tenants' only in proportion to the time that they take themselves, however many batches
-- the others have or had, and however long a step of theirs takes.
create or replace function sluice.batch_turns(p_now timestamptz) returns setof bigint
language plpgsql stable
as $$
begin
  return query
  select b.id from sluice.batch b
  left join sluice.batch_turn t on t.tenant = coalesce(b.tenant, 'default')
  where b.phase <> 'done' and b.look_at <= p_now order by t.finish_tag nulls first, b.look_at,
    b.id limit 20;
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

-- next_look: when a batch that waits looks again, after a look that began at p_begun: in p_least
-- or, if that is later, in 20 times as long as the look took, times the tenant's open batches, so
-- that these together take a twentieth of a core (a hundred that waited for room took half a core);
-- in 5 minutes at most, and when its time is over.
create or replace function sluice.next_look(
  p_batch sluice.batch, p_least interval, p_begun timestamptz, p_now timestamptz)
returns timestamptz
language plpgsql volatile
as $$
declare
  v_pause interval := 20 * (clock_timestamp() - p_begun) * (
    select count(*) from sluice.batch b where b.phase <> 'done'
      and coalesce(b.tenant, 'default') = coalesce(p_batch.tenant, 'default'));
begin
  return least(p_now + greatest(p_least, least(v_pause, interval '5 minutes')),
    case when p_batch.expires_at > p_now then p_batch.expires_at end);
end
$$;
