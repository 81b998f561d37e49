-- Budgets in the life of a task: a claim holds what its calls may cost, and leaves tasks that do
-- not fit; completions settle; calls of which nobody knows are kept as they were held.

-- within_budgets: which of the rows that a claim of p_model may take fit into their budgets, in
-- their order. Those that do not fit leave their line, over_max at a time. Late rows fit: they end.
-- Params:  p_places: so many are to be found; rows behind them do not fit, and stay.
-- Returns: fits: for each of p_turns whether it does; needs: what hold_budgets is to hold for those
--          that are taken.
-- Locks:   waits for lock_class('budget') 0 if any of them has a hard budget, and keeps it. If it
--          is busy for 10 s, rows with a hard budget do not fit, and stay in their line. Requests
--          are parsed before.
create or replace function sluice.within_budgets(
  p_model sluice.models, p_turns sluice.turn[], p_places int, p_now timestamptz,
  out fits boolean[], out needs sluice.budget_need[])
language plpgsql volatile
as $$
declare
  v record;
  v_need sluice.budget_need;
  v_budget sluice.budgets;
  v_unread bigint[];
  v_is_mine boolean;             -- the lock
  v_found int := 0;
  v_left numeric[] := '{}';      -- by the budgets' ids
  v_unspent numeric[] := '{}';   -- the same with what is held, where something does not fit
  v_limit numeric[] := '{}';
  v_over sluice.over_budget[] := '{}';
begin
  select r.needs, r.unread into needs, v_unread from sluice.read_needs(p_model, p_turns, p_now) r;
  fits := array(select n <> all (v_unread) from generate_series(1, cardinality(p_turns)) n
    order by n);
  for v in
    select n.place, array_agg(n order by n.budget) as needs
    from unnest(needs) n join sluice.budgets b on b.id = n.budget
    where b.is_hard group by n.place order by n.place
  loop
    v_is_mine := coalesce(v_is_mine, sluice.lock_budgets());
    fits[v.place] := v_is_mine;
    continue when not v_is_mine;
    foreach v_need in array v.needs loop
      if v_left[v_need.budget] is null then
        select b.* into v_budget from sluice.budgets b where b.id = v_need.budget;
        perform sluice.merge_budget(v_budget, p_now);
        v_limit[v_need.budget] := v_budget.limit_nanos;
        v_left[v_need.budget] := v_budget.limit_nanos - sluice.budget_account(v_budget, p_now);
      end if;
      if v_need.nanos is null or v_left[v_need.budget] < v_need.nanos then
        fits[v.place] := false;
        exit when cardinality(v_over) = sluice.over_max();
        if v_unspent[v_need.budget] is null then
          v_unspent[v_need.budget] := (select b.limit_nanos - s.total + s.held
            from sluice.budgets b cross join lateral sluice.budget_sums(b, p_now) s
            where b.id = v_need.budget);
        end if;
        v_over := v_over || row(v_need.task_id, p_turns[v.place].line, v_need.budget,
          case when v_need.nanos is null then v_need.why
          when v_limit[v_need.budget] < v_need.nanos then 'too_large'
          when v_unspent[v_need.budget] < v_need.nanos then 'spent' else 'held' end,
          v_need.nanos)::sluice.over_budget;
        exit;
      end if;
    end loop;
    if fits[v.place] then
      foreach v_need in array v.needs loop
        v_left[v_need.budget] := v_left[v_need.budget] - v_need.nanos;
      end loop;
      v_found := v_found + 1;
      if v_found = p_places then
        fits := fits[:v.place] || array_fill(false, array[cardinality(fits) - v.place::int]);
        exit;
      end if;
    end if;
  end loop;
  if v_over <> '{}' then
    perform sluice.note_marks(b, '{0}', p_now) from sluice.budgets b
    where b.id in (select o.budget from unnest(v_over) o where o.why = 'spent');
    perform sluice.take_out(p_model, v_over, p_now);
  end if;
end
$$;

-- lock_budgets: waits for the lock of all budgets and keeps it. What others have held is then seen
-- by the statements that follow, which an older snapshot would not do.
-- Returns: false: another session has had it for 10 s. Who waits has locks of models, so that a
--          transaction waits in vain once, and then only tries.
create or replace function sluice.lock_budgets() returns boolean
language plpgsql volatile
set lock_timeout = '10s'
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'with budgets a claim runs in a read committed transaction'
      using errcode = '25001';
  end if;
  if current_setting('sluice.budgets_are_busy', true) = 'on' then
    return pg_try_advisory_xact_lock(sluice.lock_class('budget'), 0);
  end if;
  perform pg_advisory_xact_lock(sluice.lock_class('budget'), 0);
  return true;
exception when lock_not_available then
  perform set_config('sluice.budgets_are_busy', 'on', true);
  return false;
end
$$;

-- hold_budgets: holds what the calls of new leases may cost, in each of their budgets: p_needs of
-- within_budgets, which has found that they fit and has the lock, if one of them is hard. Of those
-- that only tell it keeps the accounts short, if it gets the lock at once.
create or replace function sluice.hold_budgets(
  p_model sluice.models, p_leases sluice.lease[], p_needs sluice.budget_need[], p_now timestamptz)
returns void
language plpgsql volatile
set enable_hashjoin = on   -- a claim has it off: 3.4 ms of one of 250, instead of 1.2
as $$
begin
  with need as materialized (
    select l.task_id, l.fence, l.worker, n.budget, coalesce(n.nanos, 0) as nanos
    from unnest(p_leases) l join unnest(p_needs) n on n.task_id = l.task_id),
  held as (
    insert into sluice.budget_call (task_id, fence, call, budget, model, at, nanos, worker,
      max_output_tokens)
    select n.task_id, n.fence, 0, n.budget, p_model.name, p_now, n.nanos, n.worker,
      p_model.max_output_tokens
    from need n),
  waited as (  -- who changes their budget may have locked some
    delete from sluice.budget_wait w where w.ctid = any (array(
      select o.ctid from sluice.budget_wait o
      where o.task_id = any (array(select l.task_id from unnest(p_leases) l))
      for update skip locked)))
  insert into sluice.budget_spent (budget, at, nanos)
  select n.budget, p_now, sum(n.nanos) from need n group by n.budget having sum(n.nanos) > 0;
  if exists (select from unnest(p_needs) n join sluice.budgets b on b.id = n.budget
      where not b.is_hard)
    and pg_try_advisory_xact_lock(sluice.lock_class('budget'), 0) then
    perform sluice.merge_budget(b, p_now) from sluice.budgets b
    where not b.is_hard and b.id in (select n.budget from unnest(p_needs) n);
  end if;
end
$$;

-- extra_fits: whether an extra call of a task fits into its hard budgets: it may cost what is held
-- for the first one. It does not where one of them counts it that had been made, or given this
-- subject, after that began: nothing is held in it.
-- Params:  room: what budgets have left, by their ids, as the last call for this statement has
--          returned it: who has the lock need not sum up again. First '{}'.
-- Returns: room: the same, without what hold_extras is to hold for this call.
create or replace function sluice.extra_fits(
  p_lease sluice.lease, inout room numeric[], p_now timestamptz, out fits boolean)
language plpgsql volatile
as $$
declare
  v record;
  v_left numeric[] := room;
begin
  fits := not exists (
    select from sluice.task t cross join lateral sluice.budgets_of((select m.name
      from sluice.models m where m.id = p_lease.model), t.route, t.tenant, t.api_key, t.metadata) b
    where t.id = p_lease.task_id and b.is_hard and not exists (
      select from sluice.budget_call c where c.task_id = p_lease.task_id
        and c.fence = p_lease.fence and c.call = 0 and c.budget = b.id));
  for v in
    select b as budget, b.id, c.nanos from sluice.budget_call c
    join sluice.budgets b on b.id = c.budget
    where fits and c.task_id = p_lease.task_id and c.fence = p_lease.fence and c.call = 0
      and b.is_hard
  loop
    if v_left[v.id] is null then
      fits := sluice.lock_budgets();
      exit when not fits;
      v_left[v.id] := (v.budget).limit_nanos - sluice.budget_account(v.budget, p_now);
      room[v.id] := v_left[v.id];
    end if;
    fits := v_left[v.id] >= v.nanos;
    exit when not fits;
    v_left[v.id] := v_left[v.id] - v.nanos;
  end loop;
  if fits then
    room := v_left;
  end if;
end
$$;

-- hold_extras: holds for extra calls of tasks, which fit, what is held for their first ones.
-- Params:  p_leases: as they were before these calls.
create or replace function sluice.hold_extras(p_leases sluice.lease[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  with held as (
    insert into sluice.budget_call (task_id, fence, call, budget, model, at, nanos, worker,
      max_output_tokens)
    select c.task_id, c.fence, l.calls, c.budget, c.model, p_now, c.nanos, c.worker,
      c.max_output_tokens
    from unnest(p_leases) l cross join lateral (
      select c.* from sluice.budget_call c
      where c.task_id = l.task_id and c.fence = l.fence and c.call = 0 offset 0) c
    returning budget, nanos)
  insert into sluice.budget_spent (budget, at, nanos)
  select h.budget, p_now, sum(h.nanos) from held h group by h.budget having sum(h.nanos) > 0;
end
$$;

-- settle_budgets: replaces what was held for ended calls by what they cost: by their tokens, if all
-- counts and a price list are known; 0 if they were not sent or not billed. Otherwise, and for
-- extra calls, it is kept as it was held: they may have been billed. A hard budget believes a
-- backend no more than it held, which is the most that the call can have cost. Each row is settled
-- once, also if two sessions bring the same outcome.
-- Params:  p_state: which rows to settle: held, or kept: of calls that were lost, whose outcomes
--          come late.
create or replace function sluice.settle_budgets(
  p_outcomes sluice.outcome[], p_usages sluice.usage[], p_places int[], p_state text,
  p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_rows tid[];
  v_nths int[];  -- the place of each row's outcome
begin
  -- Locked first, so that the next statement sees them as they are, and finds them by their place:
  -- by its key, which a plan compares with all others', 250 calls took 15 ms.
  select array_agg(c.at), array_agg(p.n) into v_rows, v_nths
  from unnest(p_places) p(n) cross join lateral (
    select c.ctid as at from sluice.budget_call c
    where c.task_id = p_outcomes[p.n].task_id and c.fence = p_outcomes[p.n].fence
      and c.state = p_state and (p_state = 'held' or c.call = 0) for update of c) c;
  if v_rows is null then
    return;
  end if;
  with told as materialized (
    select x.at, (x.o).input_tokens, (x.o).output_tokens, (x.o).kind = 'throttled'
        or (x.o).kind = 'returned' and (x.o).error_code is null
        or not coalesce((x.o).billed, true) as is_free, p_usages[x.n] as usage
    from (select u.at, u.n, p_outcomes[u.n] as o from unnest(v_rows, v_nths) u(at, n) offset 0) x),
  call as materialized (
    select t.at, c.budget, c.nanos,
      case when c.call > 0 then null
        when t.input_tokens is not null
            and exists (select from sluice.prices p
              where p.model = c.model and p.valid_from <= c.at)
            and (t.output_tokens is not null or exists (select from sluice.models m
              where m.name = c.model and m.api = 'openai-embeddings'))
          then greatest(0, sluice.nanos_of(c.model, c.at, t.input_tokens, t.output_tokens, t.usage))
        when num_nonnulls(t.input_tokens, t.output_tokens) = 0 and t.is_free then 0 end as told
    from told t cross join lateral (
      select c.* from sluice.budget_call c where c.ctid = t.at offset 0) c),
  believed as materialized (
    select k.*, case when k.told > k.nanos and b.is_hard and k.nanos > 0 then k.nanos else k.told
      end as cost
    from call k left join sluice.budgets b on b.id = k.budget),
  ended as (
    update sluice.budget_call c set state = case when k.cost is null then 'kept' else 'spent' end,
      nanos = coalesce(k.cost, k.nanos), ended_at = p_now,
      told_nanos = case when k.told > k.cost then k.told end
    from believed k
    where c.ctid = k.at and (p_state = 'held' or k.cost is not null)
    returning c.budget, c.at, k.cost - k.nanos as diff)
  insert into sluice.budget_spent (budget, at, nanos)
  select e.budget, e.at, sum(e.diff) from ended e where e.diff <> 0 group by e.budget, e.at;
end
$$;

-- keep_held: what is held for calls of leases that end without an outcome stays: they may have been
-- billed.
create or replace function sluice.keep_held(p_leases sluice.lease[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  if exists (select from sluice.budgets) then
    update sluice.budget_call c set state = 'kept', ended_at = p_now
    from unnest(p_leases) l
    where c.task_id = l.task_id and c.fence = l.fence and c.state = 'held';
  end if;
end
$$;

-- clean_budgets: removes what nobody needs any more: calls that ended a day ago (a later answer
-- corrects nothing), reasons of waits that are over, marks of 400 days ago. At most 10,000 of each
-- a call.
create or replace function sluice.clean_budgets(p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  delete from sluice.budget_call c where c.ctid = any (array(
    select o.ctid from sluice.budget_call o where o.ended_at < p_now - interval '1 day'
    order by o.ended_at limit 10000));
  delete from sluice.budget_wait w where w.ctid = any (array(
    select o.ctid from sluice.budget_wait o where o.until < p_now - interval '1 minute'
    order by o.until limit 10000 for update skip locked));  -- not behind an open cancel
  delete from sluice.budget_mark m where m.at < p_now - interval '400 days';
end
$$;
