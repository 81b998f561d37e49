-- The look at budgets, once a second in the fleet: which marks they have reached, and which of the
-- tasks that wait for them fit now.

-- look_at_budgets: notes marks and wakes tasks that fit, or that no budget holds up any more. It
-- takes budgets at random, for 20 ms at most: with thousands of them each has its turn in some
-- seconds. Called by sweep.
-- Returns: how many tasks it woke.
-- Locks:   tries lock_class('budget') 0 when there is a mark to note, and rows that wait.
create or replace function sluice.look_at_budgets(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_until timestamptz := clock_timestamp() + interval '20 ms';
  v_budget sluice.budgets;
  v_sums record;
  v_marks int[];
  v_woken int := sluice.wake_left(p_now);
begin
  for v_budget in select b.* from sluice.budgets b order by random() loop
    v_sums := sluice.budget_sums(v_budget, p_now);
    v_marks := array(
      select m from unnest(v_budget.marks) m
      where (v_sums.total - v_sums.held) * 100 >= v_budget.limit_nanos * m
      except
      select k.per_cent from sluice.budget_mark k where k.budget = v_budget.id
        and k.window_from = sluice.marks_from(v_budget, p_now));
    if v_marks <> '{}' and pg_try_advisory_xact_lock(sluice.lock_class('budget'), 0) then
      perform sluice.note_marks(v_budget, v_marks, p_now);
    end if;
    if v_budget.is_hard then
      v_woken := v_woken + sluice.wake_waiting(v_budget, v_budget.limit_nanos - v_sums.total,
        p_now);
      -- What calls under way have kept out, and no longer do: a claim does with it what the budget
      -- says of one that is spent.
      if v_sums.held = 0 and (v_budget.at_limit <> 'park'
        or exists (select from sluice.fallbacks f where f.cause = 'over_budget')) then
        v_woken := v_woken + sluice.wake_all_waiting(array[v_budget.id], sluice.waits_max(), p_now,
          sluice.held_text());
      end if;
    end if;
    exit when clock_timestamp() > v_until;
  end loop;
  if v_woken > 0 then
    perform sluice.notify('sluice_work', '0');  -- any worker's look finds them
  end if;
  return v_woken;
end
$$;

-- waits_for_time: whether a task waits for a budget of a time that rolls. That has more room at
-- any moment, so who looks at it may not rest.
create or replace function sluice.waits_for_time() returns boolean
language plpgsql stable
as $$
begin
  -- No join, which would go through all that waits for its time where the planner believes that
  -- this is nothing.
  return exists (
    select from sluice.budgets b cross join lateral (
      select w.task_id, w.until from sluice.budget_wait w where w.budget = b.id
      order by w.rank, w.tenant, w.task_id limit 100) w
    where b.rolling is not null
      and (select l.ready_at from sluice.later l where l.task_id = w.task_id) = w.until);
end
$$;

-- waits_max: how many waiting tasks, and lanes of them, a look at a budget reads: 10 ms.
create or replace function sluice.waits_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- waiting_by_turns: the tasks that wait for a budget, in the order in which they are to go on: by
-- rank, then by turns of their tenants, of each the oldest first. As in fair_share.sql a tenant's
-- tasks follow each other, each as long as its need / weight. No look remembers the last one: each
-- draws where the tenants begin, so that also of the tasks that go on one by one each tenant has
-- its share. Of each of the first waits_max lanes (rank, tenant) it reads an equal part of
-- waits_max; of all the 100 that need least, which come last in their rank.
--
-- Here and below tasks are looked up one by one, by their ids alone: a join, or an index on
-- another column, may go through all of `later` for each where that was last vacuumed when it was
-- empty (3 s with 30,000; 22 ms).
create or replace function sluice.waiting_by_turns(
  p_budget int, p_left numeric, p_now timestamptz)
returns table (task_id bigint, need numeric)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive lane(rank, tenant) as (
    (select w.rank, w.tenant from sluice.budget_wait w where w.budget = p_budget
      order by w.rank, w.tenant limit 1)
    union all
    select n.* from lane l cross join lateral (
      select w.rank, w.tenant from sluice.budget_wait w
      where w.budget = p_budget and (w.rank, w.tenant) > (l.rank, l.tenant)
      order by w.rank, w.tenant limit 1) n),
  turn as materialized (
    select l.rank, l.tenant, -ln(1 - random())::numeric as start, coalesce((
      select t.weight from sluice.tenants t where t.name = l.tenant), 1)::numeric as weight
    from (select l.* from lane l limit sluice.waits_max()) l),
  pick as (
    select w.*, (sum(w.need) over lane - w.need
      + turn.start * first_value(w.need) over lane) / turn.weight as start
    from turn cross join lateral (
      select o.* from sluice.budget_wait o where o.budget = p_budget and o.rank = turn.rank
        and o.tenant = turn.tenant and o.until > p_now
      order by o.task_id limit 1 + sluice.waits_max() / (select count(*) from turn)) w
    window lane as (partition by w.rank, w.tenant order by w.task_id)
    union all
    (select o.*, null from sluice.budget_wait o where o.budget = p_budget and o.until > p_now
      and o.need <= p_left order by o.need limit 100))
  select p.task_id, p.need
  from (select distinct on (p.task_id) p.* from pick p order by p.task_id, p.start) p
  order by p.rank, p.start, p.task_id;
end
$$;

-- wake_waiting: lets those of a budget's waiting tasks try again that fit into p_left nano-units
-- together, beside those that it woke in the last minute and no claim has met yet. What somebody
-- has locked takes no room.
-- Returns: how many.
create or replace function sluice.wake_waiting(
  p_budget sluice.budgets, p_left numeric, p_now timestamptz)
returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v record;
  v_left numeric := p_left;
  v_least numeric := (select min(w.need) from sluice.budget_wait w
    where w.budget = p_budget.id and w.until > p_now);
  v_ids bigint[] := '{}';
begin
  if v_least is null or v_left < v_least then
    return 0;
  end if;
  v_left := v_left - coalesce((select sum(w.need) from sluice.budget_wait w
    where w.until between p_now - interval '1 minute' and p_now and w.budget = p_budget.id), 0);
  for v in select * from sluice.waiting_by_turns(p_budget.id, v_left, p_now) loop
    exit when v_left < v_least;
    if v.need <= v_left then
      perform from sluice.later l
      join sluice.budget_wait w on w.task_id = l.task_id and w.until = l.ready_at
      where l.task_id = v.task_id for update of l, w skip locked;
      if found then
        v_left := v_left - v.need;
        v_ids := v_ids || v.task_id;
      end if;
    end if;
  end loop;
  with moved as (
    update sluice.later l set ready_at = p_now where l.task_id = any (v_ids))
  update sluice.budget_wait w set until = p_now where w.task_id = any (v_ids);
  return cardinality(v_ids);
end
$$;

-- wake_all_waiting: lets all that waits for some budgets try again, whether it fits or not, but
-- what somebody has locked.
-- Params:  p_max: of how many tasks at most; null: of all; p_reason: of those alone whose reason
--          begins so, among the first p_max.
-- Returns: how many.
create or replace function sluice.wake_all_waiting(
  p_budgets int[], p_max int, p_now timestamptz, p_reason text)
returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_ids bigint[] := array(
    select l.task_id from (
      select w.task_id, w.until, w.reason from sluice.budget_wait w
      where w.budget = any (p_budgets) and w.until > p_now
      order by w.rank, w.tenant, w.task_id limit case when p_reason <> '' then p_max end
      for update skip locked) w
    cross join lateral (
      select l.task_id, l.ready_at from sluice.later l where l.task_id = w.task_id
      limit 1 for update skip locked) l
    where l.ready_at = w.until and starts_with(w.reason, p_reason) limit p_max);
begin
  update sluice.later l set ready_at = p_now where l.task_id = any (v_ids);
  delete from sluice.budget_wait w where w.task_id = any (v_ids);
  return cardinality(v_ids);
end
$$;

-- wake_left: lets tasks try again whose budget is gone, or no longer hard: a claim that began
-- before has made them wait, or they were locked when it changed. waits_max of them a call.
-- Returns: how many.
create or replace function sluice.wake_left(p_now timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_budgets int[] := array(
    with recursive waited(budget) as (
      select min(w.budget) from sluice.budget_wait w
      union all
      select (select min(w.budget) from sluice.budget_wait w where w.budget > l.budget)
      from waited l where l.budget is not null)
    select w.budget from waited w where w.budget is not null
      and not exists (select from sluice.budgets b where b.id = w.budget and b.is_hard));
begin
  return case when v_budgets = '{}' then 0
    else sluice.wake_all_waiting(v_budgets, sluice.waits_max(), p_now, '') end;
end
$$;
