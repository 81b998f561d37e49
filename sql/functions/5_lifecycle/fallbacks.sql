-- Fallbacks: a task that its model cannot serve goes to another one that sluice.fallbacks, its
-- budget or its route names, instead of failing or waiting. Each step is noted in sluice.attempt,
-- kind rerouted; a task comes to no model again that it has left, so the chain ends.

-- fallback_cause: the cause of sluice.fallbacks that a call's outcome is; null: none. Answers are
-- refusals by the reason for which they ended.
create or replace function sluice.fallback_cause(p_kind text, p_error_code text) returns text
language sql immutable parallel safe
as $$
  select case when p_kind = 'failed' and p_error_code in ('context_too_long', 'content_refused')
      then p_error_code
    when p_kind = 'solved' and p_error_code in ('content_filter', 'refusal')
      then 'content_refused' end
$$;

-- fallback_of: the model to which a task goes that p_from cannot serve; null: there is none. Its
-- budget's own word comes first, then its route's fallback, then the model's; a route's task that
-- is over a budget of p_from alone may go to the route's other models, tier by tier.
-- Params:  p_cause: of sluice.fallbacks; p_budget: of over_budget: which one.
create or replace function sluice.fallback_of(
  p_task sluice.task_facts, p_from sluice.models, p_cause text,
  p_budget sluice.budgets default null)
returns sluice.models
language plpgsql volatile
as $$
declare
  -- So many models a task may leave: more than anybody lines up, and few enough that one task does
  -- not go through a hundred models' lines.
  c_left_max constant int := 8;
  v_left text[] := array(select a.model from sluice.attempt a
    where a.task_id = p_task.id and a.kind = 'rerouted'
      and a.id > coalesce((select max(d.id) from sluice.attempt d
        where d.task_id = p_task.id and d.kind = 'redriven'), 0));
begin
  if cardinality(v_left) >= c_left_max then
    return null;
  end if;
  return (
    select m from (
      select p_budget.reroute_to as name, 1 as place where p_budget.at_limit = 'reroute'
      union all
      select f.to_model, case f.target when p_task.route then 2 else 3 end from sluice.fallbacks f
      where f.cause = p_cause and f.target in (p_task.route, p_from.name)
      union all
      select r.model, 3 + r.tier from sluice.routes r
      where p_budget.scope = 'model' and r.route = p_task.route and r.weight > 0) o
    join sluice.models m on m.name = o.name
    where m.id <> p_from.id and m.name <> all (v_left) and sluice.takes_over(m, p_task, p_from)
    order by o.place, random() limit 1);
end
$$;

-- takes_over: whether a model may have a task of model p_from: verbatim requests are of one api, a
-- payload's version is one of its model's, tenants are bound to models, and the request must fit
-- into the tokens of a minute. A tenant that may use a route may use its models.
create or replace function sluice.takes_over(
  p_model sluice.models, p_task sluice.task_facts, p_from sluice.models) returns boolean
language plpgsql volatile
as $$
begin
  return (p_model.api = p_from.api or not p_task.is_verbatim
      and 'openai-embeddings' not in (p_model.api, p_from.api))
    and (p_task.schema_version is null or exists (select from sluice.payload_schema s
      where s.target = p_model.name and s.version = p_task.schema_version))
    and (exists (select from sluice.routes r
        where r.route = p_task.route and r.model = p_model.name)
      or not (select sluice.exceeds(l, -100, p_model.name) from sluice.limits_of(p_task.tenant) l))
    and (p_model.tpm is null or sluice.estimate_tokens(p_model.id,
      p_task.body_bytes, p_task.max_output_tokens)
        <= p_model.tpm);
end
$$;

-- send_to: has tasks whose rows have been taken out of their places name another model, and wait
-- for it. Only tries lock_class('retain') 1, shared: it updates sluice.task.
-- Params:  p_rows: ready_at, model and route are not read.
-- Returns: false: retention has the lock, or the model has just been deleted; nothing was done.
create or replace function sluice.send_to(
  p_rows sluice.later[], p_to sluice.models, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
declare
  v_gauge regclass := to_regclass('sluice.load_' || p_to.id);
begin
  if v_gauge is null
    or not pg_try_advisory_xact_lock_shared(sluice.lock_class('retain'), 1) then
    return false;
  end if;
  perform pg_sequence_last_value(v_gauge);  -- as hold_line: the model is not deleted meanwhile
  update sluice.task t set model = p_to.id, route = null, api = null
  where t.id = any (array(select r.task_id from unnest(p_rows) r));
  insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
    attempts, route, tenant)
  select r.task_id, p_now + interval '1 millisecond', r.deadline, p_to.id, r.request_bytes,
    r.fence, r.rank, r.attempts, null, r.tenant
  from unnest(p_rows) r;
  perform sluice.notify_ready(p_to.id);  -- who sleeps may sleep for longer
  return true;
end
$$;

-- note_rerouted: notes for tasks that were not called why they left a model.
create or replace function sluice.note_rerouted(
  p_rows sluice.later[], p_from text, p_cause text, p_error text, p_to text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.attempt (task_id, ended_at, fence, kind, model, error_code, error, billed,
    fallback_to)
  select r.task_id, p_now, r.fence, 'rerouted', p_from, p_cause, p_error, false, p_to
  from unnest(p_rows) r;
end
$$;

-- fall_back: p_outcomes, with kind rerouted, and the cause as error_code, for calls whose tasks
-- have gone to another model; with kind returned (they are called again) for those that could not
-- go just now, because retention drops a range.
create or replace function sluice.fall_back(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz)
returns sluice.outcome[]
language plpgsql volatile
as $$
declare
  v record;
  v_place int;
  v_gone boolean;
begin
  if not exists (select from sluice.fallbacks) then
    return p_outcomes;
  end if;
  for v in
    select o.cause, o.target, array_agg(o.place) as places, array_agg(row((o.lease).task_id, null,
        (o.lease).deadline, null, (o.lease).request_bytes, (o.lease).fence, (o.lease).rank,
        (o.lease).attempts + 1, null, (o.lease).tenant)::sluice.later) as rows
    from (
      select c.cause, e.place, e.lease,
        (sluice.fallback_of(t.facts, m, c.cause)).name as target
      from unnest(p_ended) e
      cross join lateral (select sluice.fallback_cause((p_outcomes[e.place]).kind,
        (p_outcomes[e.place]).error_code) as cause offset 0) c
      cross join lateral (select sluice.facts_of(t) as facts from sluice.task t
        where t.id = (e.lease).task_id limit 1) t
      join sluice.models m on m.id = (e.lease).model
      where c.cause is not null offset 0) o
    where o.target is not null group by o.cause, o.target
  loop
    v_gone := (select sluice.send_to(v.rows, m, p_now) from sluice.models m
      where m.name = v.target);
    foreach v_place in array v.places loop
      p_outcomes[v_place].kind := case when v_gone then 'rerouted' else 'returned' end;
      p_outcomes[v_place].error_code := v.cause;
    end loop;
  end loop;
  return p_outcomes;
end
$$;

-- leave_page: how many tasks of a line are looked at together that wait for an open breaker: some
-- 50 ms.
create or replace function sluice.leave_page() returns int
language sql immutable parallel safe
as $$ select 500 $$;

-- leave_broken: sends tasks to their fallback that wait for a model whose breaker is open, or for a
-- route all of whose models' are; not in the time of a probe, whose end decides. Called by sweep.
-- Locks:   skips rows that are locked, and waits for none.
create or replace function sluice.leave_broken(p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  perform sluice.leave_line(g.line, (select m from sluice.models m where m.id = n.ids[1]), p_now)
  from (select distinct r.line from sluice.ready_line r) g
  left join sluice.route_line l on l.n = -g.line
  cross join lateral (select sluice.models_of_line(g.line) as ids, coalesce(l.route,
    (select m.name from sluice.models m where m.id = coalesce(l.model, g.line))) as name) n
  where exists (select from sluice.fallbacks f
      where f.cause = 'breaker_open' and f.target = n.name)
    and cardinality(n.ids) = (select count(*) from sluice.breaker b
      join sluice.models m on m.id = b.model
      where b.model = any (n.ids) and b.state = 'open' and b.since <= p_now
        and b.since + m.breaker_open > p_now);
end
$$;

-- leave_line: sends the first tasks of a line whose models' breakers are open to their fallback. If
-- some of a full page stay, because they may not go there, it looks at one more page somewhere
-- behind them: so they keep no others from going.
-- Params:  p_model: of its models the first.
create or replace function sluice.leave_line(
  p_line int, p_model sluice.models, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_queue text := sluice.place_of(p_line);
  v_from bigint := 0;
  v_ids bigint[];
begin
  for n in 1 .. 2 loop
    execute format('select array(select q.task_id from sluice.%I q where q.task_id >= $1
      order by q.task_id limit $2 for update skip locked)', v_queue)
    into v_ids using v_from, sluice.leave_page();
    exit when sluice.leave_some(v_queue, v_ids, p_model, p_now) = cardinality(v_ids)
      or cardinality(v_ids) < sluice.leave_page();
    execute format('select $1 + 1 + floor(random() * (max(task_id) - $1))::bigint from sluice.%I',
      v_queue)
    into v_from using v_ids[cardinality(v_ids)];
  end loop;
end
$$;

-- leave_some: sends those of tasks p_ids, whose rows in a line are locked, to their fallback that
-- have one. Returns how many.
create or replace function sluice.leave_some(
  p_queue text, p_ids bigint[], p_model sluice.models, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v record;
  v_gone int := 0;
begin
  for v in execute format($sql$
    select o.target, array_agg(o.row) as rows from (
      select row(q.task_id, null, q.deadline, null, q.request_bytes, q.fence, q.rank, q.attempts,
          null, q.tenant)::sluice.later as row,
        (sluice.fallback_of(t.facts, $1, 'breaker_open')).name as target
      from sluice.%I q cross join lateral (select sluice.facts_of(t) as facts from sluice.task t
        where t.id = q.task_id limit 1) t
      where q.task_id = any ($2) offset 0) o
    where o.target is not null group by o.target $sql$, p_queue)
  using p_model, p_ids
  loop
    if (select sluice.send_to(v.rows, m, p_now) from sluice.models m where m.name = v.target) then
      perform sluice.take_waiting(p_queue, array(select r.task_id from unnest(v.rows) r));
      perform sluice.note_rerouted(v.rows, p_model.name, 'breaker_open', 'its breaker was open',
        v.target, p_now);
      v_gone := v_gone + cardinality(v.rows);
    end if;
  end loop;
  return v_gone;
end
$$;
