-- The look at budgets, once a second in the fleet: which marks they have reached, and which of the
-- tasks that wait for them fit now.

-- look_at_budgets: notes marks and wakes tasks that fit. It takes budgets at random, for 20 ms at
-- most: with thousands of them each has its turn in some seconds. Called by sweep.
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
  v_woken int := 0;
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
    end if;
    exit when clock_timestamp() > v_until;
  end loop;
  if v_woken > 0 then
    perform sluice.notify('sluice_work', '0');  -- any worker's look finds them
  end if;
  return v_woken;
end
$$;

-- wake_waiting: lets those of a budget's waiting tasks try again that fit into p_left nano-units
-- together, beside those that it woke in the last minute and no claim has met yet. It looks at the
-- first 1,000 in the order of lines, and at the 100 that need least.
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
  v_gone bigint[] := '{}';
  v_woken int := 0;
begin
  if v_least is null or v_left < v_least then
    return 0;
  end if;
  v_left := v_left - coalesce((select sum(w.need) from sluice.budget_wait w
    where w.until between p_now - interval '1 minute' and p_now and w.budget = p_budget.id), 0);
  for v in
    select w.task_id, w.need, l.task_id is not null as waits
    from (
      (select o.* from sluice.budget_wait o where o.budget = p_budget.id and o.until > p_now
        order by o.rank, o.task_id limit 1000)
      union
      (select o.* from sluice.budget_wait o where o.budget = p_budget.id and o.until > p_now
        and o.need <= v_left order by o.need limit 100)) w
    left join sluice.later l on l.task_id = w.task_id and l.ready_at = w.until
    order by w.rank, w.task_id
  loop
    exit when v_left < v_least;
    if not v.waits then
      v_gone := v_gone || v.task_id;
    elsif v.need <= v_left then
      v_left := v_left - v.need;
      v_ids := v_ids || v.task_id;
    end if;
  end loop;
  with go as materialized (
    select l.task_id from unnest(v_ids) i(id) join sluice.later l on l.task_id = i.id
    join sluice.budget_wait w on w.task_id = l.task_id and w.until = l.ready_at
    for update of l, w skip locked),
  moved as (
    update sluice.later l set ready_at = p_now from go where l.task_id = go.task_id)
  update sluice.budget_wait w set until = p_now from go where w.task_id = go.task_id;
  get diagnostics v_woken = row_count;
  delete from sluice.budget_wait w where w.ctid = any (array(
    select o.ctid from sluice.budget_wait o where o.task_id = any (v_gone)
    for update skip locked));
  return v_woken;
end
$$;
