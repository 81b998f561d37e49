-- Estimates of tasks before they are submitted: how many tokens they need, what they may cost, and
-- when they may have ended. Nothing is stored, and no headroom is taken. Tasks are first summed up,
-- so that a million of them, read in pieces, have one small estimate. A sum is of the tasks that
-- name the same model or route and belong to the same tenant: {name, tenant, tasks, bytes (of
-- prompts and requests), bounded (tasks that say how long their answer may be), bounds (the sum of
-- what these say, in tokens), inputs (the most tokens of all prompts and requests, as budgets hold
-- them), largest (of one of them)}.

-- sums_of_tasks: the sums of tasks, given by their columns.
-- Params:  p_names: of models and routes; null: a task that is not summed up.
create or replace function sluice.sums_of_tasks(
  p_names text[], p_tenants text[], p_prompts text[], p_requests text[], p_outputs_max int[])
returns jsonb
language sql volatile
as $$
  with task as materialized (
    select * from unnest(p_names, p_tenants, p_prompts, p_requests, p_outputs_max)
      t(name, tenant, prompt, request, output_max) where t.name is not null),
  named as materialized (  -- for a look by key: a join in a loop compared all with all
    select jsonb_object_agg(n.name, (select m.api from sluice.models m where m.name = n.name
      or m.name in (select r.model from sluice.routes r where r.route = n.name) limit 1)) as apis
    from (select distinct t.name from task t) n)
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') from (
    select t.name, t.tenant, count(*) as tasks, sum(i.bytes) as bytes,
      count(b.output) as bounded, coalesce(sum(b.output), 0) as bounds,
      sum(coalesce(b.input, i.bytes + sluice.frame_tokens(false))) as inputs,
      max(coalesce(b.input, i.bytes + sluice.frame_tokens(false))) as largest
    from task t cross join lateral sluice.task_bounds(
      (select n.apis from named n) ->> t.name, t.prompt, t.request, t.output_max) b
    cross join lateral (select octet_length(coalesce(t.prompt, t.request)) as bytes) i
    group by t.name, t.tenant) s
$$;

-- sums_of: the sums of drafts. One that repeats an earlier task has none: it is not called again.
create or replace function sluice.sums_of(p_drafts sluice.task_draft[]) returns jsonb
language sql volatile
as $$
  select sluice.sums_of_tasks(array_agg(coalesce(d.model, m.name)), array_agg(d.tenant),
    array_agg(d.prompt), array_agg(d.request), array_agg(d.max_output_tokens))
  from unnest(p_drafts) d cross join (select sluice.default_model() as name) m
  where not (d.idempotency_key is not null and sluice.is_bound(d.tenant, d.idempotency_key))
$$;

-- task_sums: what an estimate needs to know of these tasks, so that it can be made of many pieces.
-- Params:  tasks: as for submit_many.
-- Returns: an array for estimate_sums; arrays of several pieces may be concatenated.
-- Errors:  SL001, SL002, SL004, SL007, SL009 as submit_many.
create or replace function sluice.task_sums(tasks jsonb, p_now timestamptz default null)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.sums_of(sluice.read_drafts(task_sums.tasks, sluice.now_for(p_now)));
end
$$;

-- estimate_takers: for each name of p_sums the models that may take its tasks, and the tokens that
-- all of them would need there.
-- Returns: part: how many of the tasks it takes by weight, in the route's first tier; input_tokens,
--          output_max: as the limits of tokens reserve them, but with the bound that a verbatim
--          request sets to its answer, or the model to all; output_min: answers as long as on
--          average in the last week, or of one token, if there was none; input_held, output_held,
--          largest: what budgets hold (call_bounds), and answers as they are reserved, where these
--          have no bound.
create or replace function sluice.estimate_takers(p_sums jsonb, p_now timestamptz)
returns table (name text, model sluice.models, tasks bigint, part double precision,
  input_tokens bigint, output_min bigint, output_max bigint, input_held bigint,
  output_held bigint, largest bigint)
language sql volatile
as $$
  with named as materialized (
    select s.name, sum(s.tasks) as tasks, sum(s.bytes) as bytes, sum(s.bounded) as bounded,
      sum(s.bounds) as bounds, sum(s.inputs) as inputs, max(s.largest) as largest
    from jsonb_to_recordset(p_sums) s(name text, tasks bigint, bytes bigint, bounded bigint,
      bounds bigint, inputs bigint, largest bigint)
    where s.tasks > 0 group by s.name),
  answer as materialized (
    select h.model, sum(h.output_tokens) / sum(h.solved) as tokens from sluice.history_row h
    where h.step = 'day' and h.at >= p_now - interval '8 days' and h.tenant is null
      and h.model is not null and h.solved > 0
    group by h.model),
  taker as materialized (
    select n.name, m as model, 1::double precision as weight
    from named n join sluice.models m on m.name = n.name
    union all
    select n.name, m, r.weight from named n
    join sluice.routes r on r.route = n.name and r.weight > 0 and r.tier = (
      select min(f.tier) from sluice.routes f where f.route = n.name and f.weight > 0)
    join sluice.models m on m.name = r.model)
  select n.name, t.model, n.tasks::bigint, n.tasks * t.weight / sum(t.weight) over (
      partition by n.name), (n.tasks * e.input)::bigint,
    least(o.max, floor(n.tasks * coalesce(a.tokens, 1)))::bigint, o.max::bigint,
    n.inputs::bigint, o.held::bigint, n.largest
  from named n join taker t on t.name = n.name left join answer a on a.model = (t.model).name
  cross join lateral (select
    sluice.estimate_tokens((t.model).id, least(n.bytes / n.tasks, 2147483647)::int, 0) as input,
    sluice.estimate_tokens((t.model).id, 0, null) - sluice.estimate_tokens((t.model).id, 0, 0)
      as answer) e
  cross join lateral (select
    n.bounds + (n.tasks - n.bounded) * least((t.model).max_output_tokens, e.answer) as max,
    n.bounds + (n.tasks - n.bounded) * coalesce(sluice.answer_max(t.model), e.answer) as held) o
$$;

-- call_rate: how many calls of a model can begin in a second by its quotas, its max_in_flight and
-- its workers' slots; null: nothing is known that bounds it.
-- Params:  p_call_s, p_tokens: of a call, on average; null: not known.
create or replace function sluice.call_rate(
  p_model sluice.models, p_call_s double precision, p_tokens double precision, p_slots bigint)
returns double precision
language sql stable
as $$
  select least(1e9 / (sluice.request_quota(p_model)).interval_ns,
    1e9 / (sluice.token_quota(p_model)).interval_ns / nullif(p_tokens, 0),
    p_model.max_in_flight / p_call_s, p_slots / p_call_s)
$$;

-- model_paces: how fast each of p_models can take tasks, and when it has none of those that wait
-- and run now.
-- Params:  p_tokens: how many a task of the estimate needs, for a model without a call in the last
--          ten minutes.
-- Returns: rate: tasks a second; free_s: in so many seconds; why: it cannot be told, in the words
--          of explain.
create or replace function sluice.model_paces(
  p_models sluice.models[], p_tokens double precision, p_now timestamptz)
returns table (model int, rate double precision, free_s double precision, call_s double precision,
  why text)
language sql volatile
as $$
  with pace as materialized (select * from sluice.call_pace(p_now)),
  load as materialized (select * from sluice.ready_loads(p_now)),
  known as materialized (
    select m as model, m.id, p.call_s, w.live, b.state,
      sluice.call_rate(m, p.call_s, coalesce(nullif(p.tokens, 0), p_tokens), w.slots) as rate,
      coalesce(l.tasks, 0) + greatest(0, sluice.in_flight(m.id)) as waiting,
      greatest(m.closed_until, sluice.permit_at(m, p_now), p_now) as opens
    from unnest(p_models) m left join pace p on p.model = m.name left join load l on l.model = m.id
    left join sluice.breaker b on b.model = m.id
    cross join lateral (select count(*) as live, sum(o.slots) as slots from sluice.worker o
      where o.id = any (sluice.live_workers(m, p_now))) w)
  select k.id, k.rate,
    case when isfinite(k.opens)
      then sluice.seconds_between(p_now, k.opens) + k.waiting / k.rate end,
    k.call_s,
    case when sluice.model_state(k.model, k.state, p_now) not in ('open', 'closed')
          or not isfinite(k.opens)
        then sluice.closed_text(k.model, p_now)
      when k.live = 0 then sluice.unserved_phrase(0, null, null, null, null)
      when k.rate is null then 'the model has no quota, and no call of it was timed lately' end
  from known k
$$;

-- tenant_pace: how many seconds a tenant's quotas need for so many tasks and tokens; 0: none.
create or replace function sluice.tenant_pace(
  p_tenant text, p_tasks bigint, p_tokens double precision, p_now timestamptz)
returns double precision
language plpgsql volatile
as $$
declare
  v_tenant sluice.tenants := (select t from sluice.tenants t where t.name = p_tenant);
begin
  return greatest(0, extract(epoch from sluice.permit_at(sluice.request_quota(v_tenant), p_now,
      p_tasks - 1) - p_now),
    extract(epoch from sluice.permit_at(sluice.token_quota(v_tenant), p_now) - p_now)
      + (sluice.token_quota(v_tenant)).interval_ns * p_tokens / 1e9);
end
$$;

-- time_needed: in how many seconds the models of a name will have begun p_tasks tasks: each takes
-- some from when it is free, so that all end together; null: none can.
-- Params:  p_free_s, p_rates: of each model.
create or replace function sluice.time_needed(
  p_tasks double precision, p_free_s double precision[], p_rates double precision[])
returns double precision
language sql immutable
as $$
  select min(x.needed) from (
    select (p_tasks + sum(m.rate * m.free_s) over first) / sum(m.rate) over first as needed
    from unnest(p_free_s, p_rates) m(free_s, rate)
    window first as (order by m.free_s)) x
$$;

-- expected_costs: what the calls of a taker's tasks that begin at p_at cost in whole units: by
-- nanos_of, if all are of the average size, and by nanos_max, with which budgets hold.
-- Returns: null: a price is not known.
create or replace function sluice.expected_costs(
  p_model sluice.models, p_tasks bigint, p_input bigint, p_output_min bigint, p_input_held bigint,
  p_output_held bigint, p_largest bigint, p_at timestamptz,
  out cost_min numeric, out cost_max numeric)
language plpgsql stable
as $$
declare
  v_has_answer boolean := p_model.api <> 'openai-embeddings';
begin
  cost_max := sluice.in_units(sluice.nanos_max(p_model.name, p_at, p_input_held,
    case when v_has_answer then p_output_held else 0 end, p_tasks, p_largest));
  if cost_max is not null then
    cost_min := sluice.in_units(p_tasks * sluice.nanos_of(p_model.name, p_at,
      least(p_input / p_tasks, 2147483647)::int, case when v_has_answer
        then least(round(p_output_min::numeric / p_tasks), 2147483647)::int else 0 end, null));
  end if;
end
$$;

-- estimate_sums: an estimate of tasks that were summed up.
-- Params:  sums: from task_sums. Returns: as estimate_many.
-- Errors:  SL004 it is no array; SL009 not this caller's tenants, or a model that one may not use.
create or replace function sluice.estimate_sums(sums jsonb, p_now timestamptz default null)
returns table (model text, count bigint, input_tokens bigint, output_tokens bigint,
  cost_min numeric, cost_max numeric, unpriced text[], expected_finish timestamptz, why text)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
begin
  if jsonb_typeof(estimate_sums.sums) is distinct from 'array' then
    raise exception 'sums is a JSON %, not an array',
      coalesce(jsonb_typeof(estimate_sums.sums), 'null') using errcode = 'SL004',
      hint = 'Pass what sluice.task_sums returned.';
  end if;
  perform sluice.require_tenant(t.name), case when sluice.exceeds(l, null, s.name)
    then sluice.refuse_excess(t.name, null, s.name) end
  from jsonb_to_recordset(estimate_sums.sums) s(name text, tenant text),
    coalesce(s.tenant, 'default') t(name), sluice.limits_of(t.name) l;
  return query
  with taker as materialized (
    select t.*, (t.model).id, (t.model).name as model_name,
      sum(t.part) over (partition by (t.model).id) as parts
    from sluice.estimate_takers(estimate_sums.sums, v_now) t),
  average as materialized (  -- of a task
    select sum(t.input_tokens + t.output_min) / sum(t.tasks)::double precision as tokens
    from taker t),
  pace as materialized (
    select p.* from average a cross join lateral sluice.model_paces(
      array(select distinct on (t.id) t.model from taker t), a.tokens, v_now) p),
  sum as materialized (
    select s.name, sum(s.tasks)::bigint as tasks,
      max(sluice.tenant_pace(s.tenant, s.of_tenant, s.of_tenant * a.tokens, v_now)) as needed_s
    from (select s.name, t.name as tenant, sum(s.tasks) as tasks,
        (sum(sum(s.tasks)) over (partition by t.name))::bigint as of_tenant
      from jsonb_to_recordset(estimate_sums.sums) s(name text, tenant text, tasks bigint),
        coalesce(s.tenant, 'default') t(name)
      where s.tasks > 0 group by s.name, t.name) s
    cross join average a group by s.name),
  named as materialized (  -- tasks of the other names are ahead
    select t.name, max(t.input_tokens) as input_tokens, max(t.output_max) as output_tokens,
      min(c.cost_min) as cost_min, max(c.cost_max) as cost_max,
      array_agg(t.model_name order by t.model_name) filter (where c.cost_max is null) as unpriced,
      sluice.time_needed(max(t.tasks), array_agg(p.free_s + (t.parts - t.part) / p.rate
          order by t.id) filter (where p.why is null), array_agg(p.rate order by t.id)
          filter (where p.why is null))
        + coalesce(max(p.call_s) filter (where p.why is null), 0) as needed_s,
      string_agg(t.model_name || ': ' || p.why, '; ' order by t.model_name) as why
    from taker t join pace p on p.model = t.id
    cross join lateral sluice.expected_costs(t.model, t.tasks, t.input_tokens, t.output_min,
      t.input_held, t.output_held, t.largest, v_now) c
    group by t.name)
  select s.name, s.tasks, n.input_tokens, n.output_tokens,
    case when n.unpriced is null then n.cost_min end,
    case when n.unpriced is null then n.cost_max end, n.unpriced,
    case when n.needed_s is not null
      then v_now + greatest(n.needed_s, s.needed_s) * interval '1 second' end,
    case when n.needed_s is null then coalesce(n.why, 'no model of the route has a weight') end
  from sum s left join named n on n.name = s.name order by s.name;
end
$$;

-- estimate_many: what tasks would come to, were they submitted now: a dry run of submit_many.
-- Nothing is stored, and nothing is kept free for them.
-- Params:  tasks: as for submit_many. One that repeats an earlier task does not count.
-- Returns: a row for each model or route that they name, with their count. input_tokens,
--          output_tokens: as many as the limits of tokens would reserve; a verbatim request's own
--          bound of its answer counts, too, and the model's max_output_tokens. cost_min: at the
--          cheapest model, with answers as long as they were on average in the last week (one
--          token, if none is known); cost_max: at the dearest, what budgets would hold for all of
--          them, so each byte counts as a token; both are null while unpriced names models of which
--          a price is not known.
--          expected_finish: when the last of them would have ended, if all that waits now goes
--          before, nothing else comes, calls take as long as lately, and workers' slots are free
--          for them; null: it cannot be told, and why says why.
-- Errors:  SL001, SL002, SL004, SL007, SL009 as submit_many. Bounds on waiting tasks (SL003, SL005)
--          are not looked at.
create or replace function sluice.estimate_many(tasks jsonb, p_now timestamptz default null)
returns table (model text, count bigint, input_tokens bigint, output_tokens bigint,
  cost_min numeric, cost_max numeric, unpriced text[], expected_finish timestamptz, why text)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
begin
  return query select e.* from sluice.estimate_sums(
    sluice.sums_of(sluice.read_drafts(estimate_many.tasks, v_now)), v_now) e;
end
$$;
