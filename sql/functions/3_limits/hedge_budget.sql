-- The budget of extra calls: all models with hedge_after share one, in the whole fleet. Each call
-- adds one to it, and an extra call of a model with hedge_budget b uses 1/b of them up (12.5 at 8
-- %): so extra calls stay below b of all calls, and chance in one of many models does not decide. A
-- model whose hedge_budget is smaller pays more for each. How much of it one model may have,
-- workers bound (D-260).
--
-- A token bucket filled by calls, not by time: what is saved up is at most 1,000 calls' worth, or
-- years of quick answers would pay for doubling the load of a backend that has become slow.

-- count_hedgeable: p_leases, or their calls, of p_model begin. What goes in a batch is not hedged,
-- and does not count. Needs no lock.
create or replace function sluice.count_hedgeable(p_model sluice.models, p_leases sluice.lease[])
returns void
language plpgsql volatile
as $$
begin
  perform nextval('sluice.hedge_calls') from unnest(p_leases) l
  where p_model.batch_max = 1 or p_model.api <> 'solve' or l.rank < 0;
end
$$;

-- hedge_calls_left: the thousandths of calls that no extra one has used up; below 1: no extra call
-- may begin.
create or replace function sluice.hedge_calls_left() returns bigint
language sql volatile
as $$
  select least(1000 * 1000, 1000 * coalesce(pg_sequence_last_value('sluice.hedge_calls'), 0)
                            - coalesce(pg_sequence_last_value('sluice.hedge_used'), 0))
$$;

-- take_hedge: takes one extra call from the budget, p_budget being its model's hedge_budget; false:
-- there is no room. Not undone by a rollback. The call that begins may use up more than is left,
-- and the next ones wait for that: a fleet of few calls has one.
-- Locks: hedge, the last of all, for the time of this call: the exception gives it back, so that
--        nobody waits for a commit.
create or replace function sluice.take_hedge(p_budget real) returns boolean
language plpgsql volatile
as $$
declare
  c_budget_min constant real := 0.000001;
  v_left bigint;
begin
  if p_budget < c_budget_min then
    return false;
  end if;
  perform pg_advisory_xact_lock(sluice.lock_class('hedge'), 0);
  v_left := sluice.hedge_calls_left();
  if v_left > 0 then
    perform setval('sluice.hedge_used',
      1000 * pg_sequence_last_value('sluice.hedge_calls') - v_left + (1000 / p_budget)::bigint);
  end if;
  raise exception 'seen';
exception when raise_exception then
  return v_left > 0;
end
$$;
