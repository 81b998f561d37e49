-- Budgets: calls that begin are held at the most that they may cost, and settled when they end. In
-- every committed state spent + held <= limit, for hard budgets:
--   - a claim takes lock_class('budget') 0 before it sums up and holds it until its commit, so that
--     it sees all that other claims have held. All budgets share the lock, because a claim goes
--     through several models and could not take one a budget in any one order;
--   - all else only lowers the sum: a call that ends is settled to what it cost. That adds a row to
--     the account, dated at the claim, and needs no lock;
--   - what nobody knows stays as it was held: lost calls, aborted ones, extra ones.
-- Windows are computed from the clock: nothing is reset, and another limit, period or zone counts
-- what was spent before. What was called before the budget was made does not count (D-354).

-- first_begin: of a time that shows midnight in a zone, the first moment that does: where clocks
-- are set back over midnight, it comes twice, and PostgreSQL takes the second one.
create or replace function sluice.first_begin(p_at timestamptz, p_zone text)
returns timestamptz
language sql stable
as $$
  select case when (p_at - interval '1 hour') at time zone p_zone >= p_at at time zone p_zone
    then p_at - interval '1 hour' else p_at end
$$;

-- window_from: when the window of a budget began that p_now is in.
create or replace function sluice.window_from(p_budget sluice.budgets, p_now timestamptz)
returns timestamptz
language sql stable
as $$
  select case p_budget.period when 'rolling' then p_now - p_budget.rolling
    else sluice.first_begin(date_trunc(p_budget.period, p_now, p_budget.zone), p_budget.zone) end
$$;

-- window_until: when it ends; null: it rolls.
create or replace function sluice.window_until(p_budget sluice.budgets, p_now timestamptz)
returns timestamptz
language sql stable
as $$
  select case when p_budget.period <> 'rolling' then
    sluice.first_begin((date_trunc(p_budget.period, p_now at time zone p_budget.zone)
      + ('1 ' || p_budget.period)::interval) at time zone p_budget.zone, p_budget.zone) end
$$;

-- budget_account: what a budget has spent and held in its window.
create or replace function sluice.budget_account(p_budget sluice.budgets, p_now timestamptz)
returns numeric
language plpgsql stable  -- so that budget_sums sees one moment
as $$
declare
  v_from timestamptz := sluice.window_from(p_budget, p_now);
begin
  return (select coalesce(sum(s.nanos), 0) from sluice.budget_spent s
    where s.budget = p_budget.id and s.at >= v_from);
end
$$;

-- budget_sums: budget_account, and how much of it is held. The latter walks over all calls that
-- have ended since the oldest open snapshot, so a claim asks for it only where a task does not fit.
create or replace function sluice.budget_sums(
  p_budget sluice.budgets, p_now timestamptz, out total numeric, out held numeric)
language plpgsql volatile
as $$
declare
  v_from timestamptz := sluice.window_from(p_budget, p_now);
begin
  select sluice.budget_account(p_budget, p_now), coalesce(sum(c.nanos), 0) into total, held
  from sluice.budget_call c
  where c.budget = p_budget.id and c.at >= v_from and c.state = 'held';
end
$$;

-- budget_opens_at: when a call of p_need nano-units will fit into a budget if nothing else is
-- called: at the next window, or when enough has left it.
create or replace function sluice.budget_opens_at(
  p_budget sluice.budgets, p_need numeric, p_now timestamptz)
returns timestamptz
language plpgsql volatile
as $$
begin
  return coalesce(sluice.window_until(p_budget, p_now), (
    select min(x.at) filter (where x.later <= p_budget.limit_nanos - p_need) + p_budget.rolling
      + interval '1 microsecond'
    from (
      select s.at, sum(sum(s.nanos)) over (order by s.at desc) - sum(s.nanos) as later
      from sluice.budget_spent s
      where s.budget = p_budget.id and s.at >= p_now - p_budget.rolling group by s.at) x),
    p_now + interval '1 minute');
end
$$;

-- budgets_of: the budgets that count a call of p_model for a task with these properties.
create or replace function sluice.budgets_of(
  p_model text, p_route text, p_tenant text, p_key text, p_metadata jsonb)
returns setof sluice.budgets
language sql stable
as $$
  select b.* from sluice.budgets b
  where case b.scope when 'system' then true when 'model' then b.subject = p_model
    when 'route' then b.subject = p_route when 'tenant' then b.subject = p_tenant
    when 'key' then b.subject = p_key
    else p_metadata ->> split_part(b.subject, '=', 1)
      = substr(b.subject, strpos(b.subject, '=') + 1) end
  order by b.id
$$;

-- task_bounds: the most tokens that the call of a task may have by its own texts and its own cap,
-- at a model of p_api; null: any number, for a request because of fault.
create or replace function sluice.task_bounds(
  p_api text, p_prompt text, p_request text, p_output_max int)
returns table (input int, output int, fault text)
language sql immutable
as $$
  select octet_length(p_prompt) + sluice.frame_tokens(false), p_output_max, null
  where p_request is null
  union all
  select b.* from sluice.request_bounds(p_api, p_request) b where p_request is not null
$$;

-- answer_max: the longest answer to a prompt that comes without a cap, in tokens; null: any number.
create or replace function sluice.answer_max(p_model sluice.models) returns int
language sql immutable
as $$
  select coalesce(p_model.max_output_tokens, case p_model.api
    when 'anthropic-messages' then 4096  -- src/backends/anthropic_messages.cc sends it
    when 'openai-embeddings' then 0 end)
$$;

-- has_budgets: whether there are any, or may be some that came after this transaction's snapshot.
create or replace function sluice.has_budgets() returns boolean
language plpgsql stable
as $$
begin
  return exists (select from sluice.budgets)
    or current_setting('transaction_isolation') <> 'read committed';
end
$$;

-- api_of_bounds: the api for which the bounds of a request are kept that comes for p_model, or for
-- a route whose models speak p_api; null: there are no budgets.
create or replace function sluice.api_of_bounds(p_api text, p_model int) returns text
language plpgsql stable
as $$
begin
  return case when sluice.has_budgets()
    then coalesce(p_api, (select m.api from sluice.models m where m.id = p_model)) end;
end
$$;

-- parse_bytes_max: how much of requests whose bounds are not kept is parsed in one transaction of
-- many tenants, 20 ms: of tasks that are older than all budgets, or went to a model of another api.
create or replace function sluice.parse_bytes_max() returns int
language sql immutable parallel safe
as $$ select 65536 $$;

-- call_bounds: the most tokens that a call of p_model for a task may have, in and out; null: any
-- number, for a request because of fault. A prompt is sent with the task's cap, or the model's. The
-- fault of an answer that may be longer than the model's max_output_tokens is 'too long': of a call
-- that nobody knows the end of, a budget holds that much.
-- Params:  of the task, by themselves: a row of it would bring its whole text; p_kept: its bounds;
--          p_parse_max: how many bytes of a request may be parsed, if they are not kept for
--          p_model. The fault of a longer one is 'unread'.
create or replace function sluice.call_bounds(
  p_model sluice.models, p_prompt text, p_request text, p_output_max int,
  p_kept sluice.request_bound, p_parse_max int)
returns table (input int, output int, fault text)
language sql stable
as $$
  select c.input, case when c.fault is null then c.output end,
    case when c.fault is null and c.output > (p_model).max_output_tokens then 'too long'
      else c.fault end
  from (
    select b.input, b.output, case when b.fault <> sluice.unread_limit()
      or not sluice.reads_max_completion_tokens(p_model) then b.fault end as fault
    from (
      select t.input, coalesce(t.output, sluice.answer_max(p_model)) as output, t.fault
      from sluice.task_bounds((p_model).api, p_prompt, null, p_output_max) t
      where p_request is null
      union all
      select (p_kept).input, (p_kept).output, (p_kept).fault
      where p_request is not null and (p_kept).api = (p_model).api
      union all
      select t.* from sluice.task_bounds((p_model).api, null, p_request, null) t
      where p_request is not null and (p_kept).api is distinct from (p_model).api
        and octet_length(p_request) <= p_parse_max
      union all
      select null, null, 'unread'
      where p_request is not null and (p_kept).api is distinct from (p_model).api
        and octet_length(p_request) > p_parse_max) b) c
$$;

-- note_marks: notes that a budget has reached these of its marks, or is exhausted (0), each once in
-- its window; of one that rolls, once a day. While settings.events is on, who listens on channel
-- sluice_budget is told the budget's id. Requires lock_class('budget') 0: it waits for others that
-- note the same one.
create or replace function sluice.note_marks(
  p_budget sluice.budgets, p_marks int[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_noted int;
begin
  insert into sluice.budget_mark (budget, window_from, per_cent, at)
  select p_budget.id, sluice.marks_from(p_budget, p_now), m, p_now from unnest(p_marks) m
  on conflict do nothing;
  get diagnostics v_noted = row_count;
  if v_noted > 0 and (select events from sluice.settings)
    and not sluice.notifications_are_scarce() then
    perform pg_notify('sluice_budget', p_budget.id::text);
  end if;
end
$$;

-- marks_from: when the time began in which each mark of a budget is told once.
create or replace function sluice.marks_from(p_budget sluice.budgets, p_now timestamptz)
returns timestamptz
language sql stable
as $$
  select case p_budget.period when 'rolling' then date_trunc('day', p_now, 'UTC')
    else sluice.window_from(p_budget, p_now) end
$$;

-- merge_budget: replaces the rows of a budget's account that are older than 5 s by their sums over
-- a quarter of an hour, in which no day of any zone begins; of a rolling time over a hundredth of
-- it, but at most a quarter of an hour and at least a 3000th: those of the last two hours once more
-- than 500 are of the last hour, all once there are more than 5,000 in its window. A sum is dated
-- at its last row: it leaves a window that rolls so much later. Requires the lock. Removes what is
-- older than 400 days.
create or replace function sluice.merge_budget(p_budget sluice.budgets, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_rolling numeric := coalesce(extract(epoch from p_budget.rolling), 90000);
  v_step numeric := greatest(least(900, v_rolling / 100), v_rolling / 3000);
  v_until timestamptz := p_now - interval '5 seconds';
  v_from timestamptz := sluice.window_from(p_budget, p_now);
begin
  if (select count(*) from (select from sluice.budget_spent s
      where s.budget = p_budget.id and s.at >= v_from and s.at < v_until limit 5001) s) <= 5000 then
    v_from := p_now - interval '2 hours';
    if (select count(*) from (select from sluice.budget_spent s where s.budget = p_budget.id
        and s.at > p_now - interval '1 hour' and s.at < v_until limit 501) s) <= 500 then
      return;
    end if;
  end if;
  with gone as (
    delete from sluice.budget_spent s where s.budget = p_budget.id
      and s.at < v_until and (s.at >= v_from or s.at < p_now - interval '400 days')
    returning s.at, s.nanos)
  insert into sluice.budget_spent (budget, at, nanos)
  select p_budget.id, max(g.at), sum(g.nanos) from gone g
  where g.at > p_now - interval '400 days'
  group by floor(extract(epoch from g.at) / v_step);
end
$$;

-- budget_text: how a budget stands, for whoever reads the task that it keeps back: "tenant search:
-- 49.97 of 50 today, opens 00:00 Europe/Prague". Others' calls count in all but a tenant's own: of
-- these it only says when they open.
create or replace function sluice.budget_text(
  p_budget sluice.budgets, p_opens timestamptz, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_zone text := case p_budget.period when 'rolling' then 'UTC' else p_budget.zone end;
begin
  return format('%s: %s %s, opens %s %s', concat_ws(' ', p_budget.scope, p_budget.subject),
    case p_budget.scope when 'tenant' then format('%s of %s',
      sluice.in_units(sluice.budget_account(p_budget, p_now)),
      sluice.in_units(p_budget.limit_nanos)) else 'no room for it' end,
    case p_budget.period when 'day' then 'today' when 'rolling' then 'in ' || p_budget.rolling
      else 'this ' || p_budget.period end,
    to_char(p_opens at time zone v_zone, case when p_opens < p_now + interval '1 day' then 'HH24:MI'
      else 'YYYY-MM-DD HH24:MI' end), v_zone);
end
$$;
