-- Vocabulary of the tests of budgets, beside that of _helpers.sql. What follows from a change of
-- budgets follows at once, not with the commit.
set constraints sluice.after_budget_changes immediate;

-- given_priced_model: a model that costs a nano-unit a token, in and out.
create function given_priced_model() returns text language plpgsql
as $$
declare
  v_name text := given_model();
begin
  insert into sluice.prices (model, valid_from, input, output)
  values (v_name, 'epoch', 1000000, 1000000);
  return v_name;
end
$$;

-- given_budget: a hard budget of p_limit nano-units; returns its name.
create function given_budget(
  p_scope text, p_subject text, p_limit numeric, period text default 'day',
  zone text default 'UTC', rolling interval default null, at_limit text default 'park',
  reroute_to text default null, is_hard boolean default true)
returns text language sql
as $$
  insert into sluice.budgets (name, scope, subject, limit_nanos, period, zone, rolling, at_limit,
    reroute_to, is_hard)
  values (format('budget-%s-%s', pg_backend_pid(), nextval('names')), p_scope, p_subject,
    p_limit, given_budget.period, given_budget.zone, given_budget.rolling,
    given_budget.at_limit, given_budget.reroute_to, given_budget.is_hard)
  returning name
$$;

create function budget_row(p_name text) returns sluice.budgets language sql
as $$ select b from sluice.budgets b where name = p_name $$;

-- stands: what a budget has spent and holds, in nano-units.
create function stands(p_name text, p_now timestamptz default at(2)) returns text language sql
as $$
  select format('%s+%s', total - held, held)
  from sluice.budget_sums(budget_row(p_name), p_now)
$$;

-- given_calls: p_count tasks whose calls may cost 100 nano-units each: 94 tokens of text and frame,
-- and 6 of an answer.
create function given_calls(p_model text, p_count int, tenant text default 'default')
returns bigint[] language sql
as $$
  select array_agg(given_task(p_model, prompt => repeat('x', 30), max_output_tokens => 6,
    tenant => given_calls.tenant)) from generate_series(1, p_count)
$$;

-- hedged: for which of some tasks another call may begin.
create function hedged(p_worker bigint, p_tasks bigint[], p_now timestamptz) returns bigint[]
language sql
as $$
  select coalesce(array_agg(h.task_id order by h.task_id), '{}') from sluice.hedge_many(p_worker,
    p_tasks, array_fill(1, array[cardinality(p_tasks)]), p_now) h
$$;
