-- Tasks that a claim finds over a budget: they leave their line, so that no claim meets them again
-- before they can be called.

-- over_max: how many tasks leave their line at a time, 20 ms if they have a fallback: a claim does
-- so once or twice a model, in the only session of its worker that claims.
create or replace function sluice.over_max() returns int
language sql immutable parallel safe
as $$ select 200 $$;

-- over_wait: how long a task waits that another model of its route may take, or that goes to
-- another model: 1 to 3 s.
create or replace function sluice.over_wait() returns interval
language sql volatile
as $$ select (1 + 2 * random()) * interval '1 second' $$;

-- over_action: what is done with a task that is over a budget and has no other model to go to.
-- Returns: wait (for over_wait), park (until there is room for it), or refuse.
create or replace function sluice.over_action(
  p_over sluice.over_budget, p_budget sluice.budgets)
returns text
language sql immutable
as $$
  select case when p_over.why = 'held' then 'park'
    when p_over.why = 'unpriced' and p_over.line < 0 then 'wait'
    when p_over.why <> 'spent' or p_budget.at_limit = 'refuse' then 'refuse' else 'park' end
$$;

-- held_text: how over_text begins of a task that only calls under way keep out.
create or replace function sluice.held_text() returns text
language sql immutable parallel safe
as $$ select 'calls under way left no room for it in budget' $$;

-- over_text: why a task does not fit, for explain and for the error of one that is refused.
create or replace function sluice.over_text(
  p_over sluice.over_budget, p_budget sluice.budgets, p_model text, p_opens timestamptz,
  p_now timestamptz) returns text
language plpgsql volatile
as $$
begin
  return case p_over.why
    when 'unpriced' then format('model %s has no price, and budget %s counts what it costs',
      p_model, p_budget.name)
    when 'unbounded' then format('what the call may cost has no bound, and budget %s needs one: '
      'give the task or model %s a max_output_tokens, and refer to no pictures or files',
      p_budget.name, p_model)
    when 'unbounded too long' then format('the task asks for a longer answer than the '
      'max_output_tokens of model %s, which is the most that budget %s lets a call have', p_model,
      p_budget.name)
    when 'unbounded ' || substr(p_over.why, 11) then format('what the call may cost has no bound '
      'because of %s in its request, and budget %s needs one', substr(p_over.why, 11),
      p_budget.name)
    when 'too_large' then format('the call may cost %s, and budget %s has a limit of %s',
      sluice.in_units(p_over.need), p_budget.name, sluice.in_units(p_budget.limit_nanos))
    when 'held' then format('%s %s: %s', sluice.held_text(), p_budget.name,
      sluice.budget_text(p_budget, p_opens, p_now))
    else sluice.budget_text(p_budget, p_opens, p_now) end;
end
$$;

-- take_out: takes tasks that are over a budget out of their lines and does with each what its
-- budget says. Rows that somebody has locked stay.
create or replace function sluice.take_out(
  p_model sluice.models, p_over sluice.over_budget[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_line int;
  v_ids bigint[];
begin
  for v_line in select distinct o.line from unnest(p_over) o order by 1 loop
    execute format('select array(select q.task_id from sluice.%I q where q.task_id = any ($1)
      for update skip locked)', sluice.place_of(v_line))
    into v_ids using array(select o.task_id from unnest(p_over) o where o.line = v_line);
    perform sluice.put_over(p_model, sluice.take_waiting(sluice.place_of(v_line), v_ids), p_over,
      p_now), sluice.note_over(p_model.id)
    where v_ids <> '{}';
  end loop;
end
$$;

-- wait_over: puts rows of a line among those that wait, for over_wait.
create or replace function sluice.wait_over(p_rows sluice.queue[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
    attempts, route, tenant)
  select q.task_id, p_now + sluice.over_wait(), q.deadline, t.model, q.request_bytes, q.fence,
    q.rank, q.attempts, t.route, q.tenant
  from unnest(p_rows) q cross join lateral (
    select t.model, t.route from sluice.task t where t.id = q.task_id limit 1) t;
end
$$;

-- reroute_over: sends those of p_rows, which a claim has taken out of their line because they are
-- over a budget, to another model, if one takes them. Not those that calls under way keep out.
-- Returns: the others.
create or replace function sluice.reroute_over(
  p_model sluice.models, p_rows sluice.queue[], p_over sluice.over_budget[], p_now timestamptz)
returns sluice.queue[]
language plpgsql volatile
as $$
declare
  v record;
  v_rest sluice.queue[] := p_rows;
  v_ids bigint[] := array(select o.task_id from unnest(p_over) o);
begin
  -- Mostly fallback_of has nowhere to look, and to ask it for each of hundreds of tasks takes a
  -- claim a second.
  if not exists (select from sluice.budgets b where (b.at_limit = 'reroute' or b.scope = 'model')
      and b.id = any (array(select o.budget from unnest(p_over) o)))
    and not exists (select from sluice.fallbacks f where f.cause = 'over_budget') then
    return p_rows;
  end if;
  for v in
    select x.target, sluice.over_text(x.first, b, p_model.name, sluice.over_opens_at(x.first, b,
      p_now), p_now) as reason, x.rows
    from (
      select f.target, b.id as budget, (array_agg(o.over order by (o.over).need))[1] as first,
        array_agg(row(q.task_id, null, q.deadline, t.model, q.request_bytes, q.fence, q.rank,
          q.attempts, t.route, q.tenant)::sluice.later) as rows
      from unnest(p_rows) q
      cross join lateral (select p_over[array_position(v_ids, q.task_id)] as over offset 0) o
      join sluice.budgets b on b.id = (o.over).budget
      cross join lateral (
        select t.model, t.route, sluice.facts_of(t) as facts from sluice.task t
        where t.id = q.task_id limit 1) t
      cross join lateral (select (sluice.fallback_of(t.facts, p_model, 'over_budget',
        b)).name as target offset 0) f
      where (o.over).why <> 'held' and f.target is not null
      group by f.target, b.id, (o.over).why,
        case when (o.over).why = 'too_large' then (o.over).need end) x
    join sluice.budgets b on b.id = x.budget
  loop
    v_rest := array(select q from unnest(v_rest) q
      where q.task_id <> all (array(select r.task_id from unnest(v.rows) r)));
    if (select sluice.send_to(v.rows, m, p_now) from sluice.models m where m.name = v.target) then
      perform sluice.note_rerouted(v.rows, p_model.name, 'over_budget', v.reason, v.target, p_now);
    else
      perform sluice.wait_over(array(select q from unnest(p_rows) q
        where q.task_id = any (array(select r.task_id from unnest(v.rows) r))), p_now);
    end if;
  end loop;
  return v_rest;
end
$$;

-- over_opens_at: when a budget opens for a task that is over it; null: that would not help it.
create or replace function sluice.over_opens_at(
  p_over sluice.over_budget, p_budget sluice.budgets, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
begin
  return case when p_over.why in ('spent', 'held')
    then sluice.budget_opens_at(p_budget, p_over.need, p_now) end;
end
$$;

-- put_over: reroutes, parks or refuses rows that take_out has taken. How a budget stands is summed
-- up once for all that do not fit for the same reason: when it opens is told for the one that needs
-- least. Those whose budget was deleted meanwhile are soon looked at again.
create or replace function sluice.put_over(
  p_model sluice.models, p_rows sluice.queue[], p_over sluice.over_budget[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v record;
  v_rows sluice.queue[];
  v_known int[] := '{}';
  v_gone bigint[];
begin
  p_rows := sluice.reroute_over(p_model, p_rows, p_over, p_now);
  for v in
    select b as budget, a.ids, x.action, x.opens,
      -- if look_at_budgets does not wake it earlier: with the next window, or when all that counts
      -- now has left a time that rolls
      case x.action when 'wait' then p_now + sluice.over_wait()
        else coalesce(sluice.window_until(b, p_now), p_now + b.rolling) end as until,
      sluice.over_text(a.first, b, p_model.name, x.opens, p_now) as reason
    from (
      select o.budget, (array_agg(o order by o.need))[1] as first, array_agg(o.task_id) as ids
      from unnest(p_over) o
      group by o.budget, o.line,
        case when o.why in ('spent', 'held', 'unpriced') then o.why end) a
    join sluice.budgets b on b.id = a.budget
    cross join lateral (select sluice.over_action(a.first, b) as action,
      sluice.over_opens_at(a.first, b, p_now) as opens offset 0) x
  loop
    v_known := v_known || (v.budget).id;
    v_rows := array(select q from unnest(p_rows) q where q.task_id = any (v.ids));
    continue when v_rows = '{}';
    if v.action = 'refuse' then
      perform sluice.refuse_over(p_model, v_rows, p_over, v.budget, v.reason, p_now);
    else
      perform sluice.wait_for_budget(v_rows, p_over, v.budget, v.until, v.opens, v.reason, p_now);
    end if;
  end loop;
  v_gone := array(select o.task_id from unnest(p_over) o where o.budget <> all (v_known));
  perform sluice.wait_over(array(select q from unnest(p_rows) q
    where q.task_id = any (v_gone)), p_now)
  where v_gone <> '{}';
end
$$;

-- refuse_over: ends rows of a line as failed, because they are over a budget.
-- Params:  p_reason: for those that would fit if it were not spent: each other one has its own.
create or replace function sluice.refuse_over(
  p_model sluice.models, p_rows sluice.queue[], p_over sluice.over_budget[],
  p_budget sluice.budgets, p_reason text, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_ids bigint[] := array(select o.task_id from unnest(p_over) o);
begin
  perform sluice.end_rows(r.rows, p_model.id, 'failed', p_now, r.errors)
  from (select array_agg(q) as rows, array_agg(case when (o.over).why = 'spent' then p_reason
      else sluice.over_text(o.over, p_budget, p_model.name, null, p_now) end) as errors
    from unnest(p_rows) q
    cross join lateral (
      select p_over[array_position(v_ids, q.task_id)] as over offset 0) o) r;
end
$$;

-- wait_for_budget: puts rows of a line among those that wait, with their reason. Of those that wait
-- for the same budget one is due when it opens, so that workers that sleep wake.
create or replace function sluice.wait_for_budget(
  p_rows sluice.queue[], p_over sluice.over_budget[], p_budget sluice.budgets,
  p_until timestamptz, p_opens timestamptz, p_reason text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_ids bigint[] := array(select o.task_id from unnest(p_over) o);
  v_first bigint;    -- the task that is due when the budget opens
begin
  if p_opens < p_until and not exists (select from sluice.budget_wait w
      where w.until > p_now and w.until <= p_opens and w.budget = p_budget.id) then
    v_first := p_rows[1].task_id;
  end if;
  with put as (
    insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
      attempts, route, tenant)
    select q.task_id, case when q.task_id = v_first then p_opens else p_until end,
      q.deadline, t.model, q.request_bytes, q.fence, q.rank, q.attempts, t.route, q.tenant
    from unnest(p_rows) q cross join lateral (
      select t.model, t.route from sluice.task t where t.id = q.task_id limit 1) t
    returning task_id, ready_at, rank, tenant)
  insert into sluice.budget_wait as w (task_id, budget, until, reason, need, rank, tenant)
  select p.task_id, p_budget.id, p.ready_at, p_reason,
    p_over[array_position(v_ids, p.task_id)].need, p.rank, p.tenant
  from put p
  on conflict on constraint budget_wait_pkey do update
    set budget = excluded.budget, until = excluded.until, reason = excluded.reason,
      need = excluded.need, rank = excluded.rank, tenant = excluded.tenant;
end
$$;
