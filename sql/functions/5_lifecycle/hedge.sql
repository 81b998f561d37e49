-- The budget of extra calls, shared by all models with hedge_after in the whole fleet. Each call
-- adds one to it, and an extra call of a model with hedge_budget b uses 1/b (12.5 at 8 %). So extra
-- calls stay below b of all calls, and a model is not stopped by a few slow calls of its own. A
-- model with a smaller hedge_budget pays more for each extra call. Workers bound how much of the
-- budget one model may use (D-260).
--
-- It is a token bucket filled by calls, not by time. It holds at most 1,000 calls' worth, because
-- otherwise years of quick answers would pay for doubling the load of a backend that has become
-- slow.

-- count_hedgeable: adds the calls of p_leases to the budget as they begin. Calls of batches are not
-- hedged and do not count. Needs no lock.
create or replace function sluice.count_hedgeable(p_model sluice.models, p_leases sluice.lease[])
returns void
language plpgsql volatile
as $$
begin
  perform nextval('sluice.hedge_calls') from unnest(p_leases) l
  where p_model.batch_max = 1 or p_model.api <> 'solve' or l.rank < 0;
end
$$;

-- hedge_calls_left: what is left of the budget, in thousandths of a call; negative after a dear
-- one. At 0 or less no extra call may begin.
create or replace function sluice.hedge_calls_left() returns bigint
language sql volatile
as $$
  select least(1000000,
    1000 * coalesce(pg_sequence_last_value('sluice.hedge_calls'), 0)
      - coalesce(pg_sequence_last_value('sluice.hedge_used'), 0))
$$;

-- take_hedge: takes one extra call from the budget, p_budget being its model's hedge_budget; false:
-- the budget is used up. Not undone by a rollback. A call may take more than is left, and the next
-- ones wait until that is made up for, so that a fleet of few calls gets one, too.
-- Locks:   hedge, for the time of this call: the exception releases it, so that nobody waits for a
--          commit.
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

-- hedge: grants another call for a task whose call is under way, when that takes longer than the
-- model's hedge_after. The first answer counts, and the worker aborts the other calls, which may be
-- billed all the same.
-- Params:  worker: its id; task_id, fence: the call under way.
-- Returns: true: the call may begin within send_within_ms of the request, and has its permit, its
--          tokens and its row among the attempts. False: not now: the budget is used up, there is
--          no permit, max_in_flight or hedge_max is reached, the model is closed or paused or its
--          breaker is not closed, the task is being cancelled, or no longer this worker's.
--
-- Tokens: as many as were reserved for the task itself. They stay booked, because nobody knows
-- which of the calls were billed.
-- Locks:   as hedge_many.
create or replace function sluice.hedge(
  worker bigint, task_id bigint, fence int, p_now timestamptz default null)
returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return exists (select from sluice.hedge_many(hedge.worker, array[hedge.task_id],
    array[hedge.fence], p_now));
end
$$;

-- hedge_many: hedge, for many calls at a time. What budgets have left is summed up once for all.
-- Params:  worker: its id; task_ids: of the calls under way, the most urgent first; fences: theirs,
--          in the same order.
-- Returns: those that may have another call.
--
-- Claims and completions wait for this: with a sum for each call, and plans that went through all
-- that was called in a day, 100 took up to 2 s.
-- Locks:   the leases; then tries their models and tenants; then, for a moment, the budget of such
--          calls; then waits for lock_class('budget') 0, if a task has a hard budget.
create or replace function sluice.hedge_many(
  worker bigint, task_ids bigint[], fences int[], p_now timestamptz default null)
returns table (task_id bigint, fence int)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_key record;
  v_lease sluice.lease;
  v_model sluice.models;
  v_left numeric[] := '{}';   -- of budgets, by their ids
  v_fits boolean;
  v_held sluice.lease[] := '{}';
begin
  for v_key in select * from unnest(hedge_many.task_ids, hedge_many.fences) k(id, fence) loop
    -- without a lock: when a backend has become slow, many ask in vain
    continue when sluice.hedge_calls_left() <= 0;
    select * into v_lease from sluice.lease l
    where l.task_id = v_key.id and l.fence = v_key.fence and l.worker + 0 = hedge_many.worker
      for update skip locked;
    continue when not found
      or not pg_try_advisory_xact_lock(sluice.lock_class('model'), v_lease.model);
    select * into v_model from sluice.models m where m.id = v_lease.model;
    continue when not sluice.may_hedge(v_model, v_lease, v_now)
      or not sluice.take_hedge(v_model.hedge_budget);
    if v_model.is_budgeted then
      select f.room, f.fits into v_left, v_fits from sluice.extra_fits(v_lease, v_left, v_now) f;
      continue when not v_fits;
      v_held := v_held || v_lease;
    end if;
    update sluice.lease l set calls = calls + 1 where l.task_id = v_lease.task_id;
    perform sluice.take_permits(sluice.request_quota(v_model), 1, v_now);
    perform sluice.charge_reserved(v_model, array[v_lease], v_now);
    perform sluice.set_counter('claimed', v_model.id, sluice.counter('claimed', v_model.id) + 1);
    perform sluice.count_hedgeable(v_model, array[v_lease]);
    insert into sluice.attempt (task_id, worker, started_at, fence, kind, model)
    values (v_lease.task_id, v_lease.worker, v_now, v_lease.fence, 'hedged', v_model.name);
    return query select v_lease.task_id, v_lease.fence;
  end loop;
  if v_held <> '{}' then
    perform sluice.hold_extras(v_held, v_now);
  end if;
end
$$;

-- may_hedge: whether the task of p_lease may have another call of p_model now. Not while another
-- price list is in force than when its first call began: that call's price is held, and counts, for
-- all. (A list that was changed in its place is not noticed.) Requires the model's lock; tries the
-- tenant's.
create or replace function sluice.may_hedge(
  p_model sluice.models, p_lease sluice.lease, p_now timestamptz)
returns boolean
language plpgsql volatile
as $$
declare
  v_requests sluice.quota := sluice.request_quota(p_model);
  v_tokens sluice.quota := sluice.token_quota(p_model);
begin
  if p_model.hedge_after is null or p_lease.calls > p_model.hedge_max
    or not sluice.is_open(p_model, p_now)
     or exists (select from sluice.breaker b where b.model = p_model.id and b.state <> 'closed')
     or exists (select from sluice.cancellation c where c.task_id = p_lease.task_id
       and c.fence = p_lease.fence)
     or p_model.is_priced and sluice.list_in_force(p_model.name, p_lease.started_at)
       is distinct from sluice.list_in_force(p_model.name, p_now)
     or sluice.calls_left(p_model) <= 0 then
    return false;
  end if;
  perform sluice.mend_bucket(v_requests, p_now);
  perform sluice.mend_bucket(v_tokens, p_now);
  return coalesce(sluice.permits_now(v_requests, p_now) > 0, true)
    and coalesce(sluice.permits_now(v_tokens, p_now) > 0, true)
    and not exists (
      select from sluice.tenant_allowances(array[p_lease.tenant], p_now) a
      where a.busy or a.requests <= 0 or a.tokens <= 0);
end
$$;
