-- The views of tasks, queues and workers. They are security barriers and show each
-- caller only his own tenants.

-- require_task: SL006 unless task p_id exists and is of the caller's tenants, so that nobody learns
-- whose another task is.
-- Params:  p_tenant: the task's; null: there is no such task.
create or replace function sluice.require_task(p_id bigint, p_tenant text) returns void
language plpgsql stable
as $$
begin
  if p_tenant is null or not sluice.may_act_for(p_tenant) then
    raise exception 'there is no task %', p_id using errcode = 'SL006',
      hint = 'sluice tasks lists what there is.';
  end if;
end
$$;

-- guarded: its argument itself: a column of a view on which a caller's condition is evaluated only
-- after the view has chosen its rows. Called by the views, as their reader.
--
-- PostgreSQL evaluates conditions with leakproof operators below a security barrier, and EXPLAIN
-- ANALYZE then counts how many of other tenants' rows such a condition passed: a prompt was found
-- by bisection in 132 queries. A condition on a volatile column stays above the barrier. It costs
-- nothing at run time, because the planner replaces the call by its value after it has placed the
-- conditions. id and status are not guarded: reading by key, and reading one place for one status,
-- need their conditions below. So a caller can learn that an id is in use and how many tasks are in
-- a place, never whose tasks or what is in them.
create or replace function sluice.guarded(p_value anyelement) returns anyelement
language sql volatile parallel safe
as $$ select p_value $$;

-- audit_log: what administrators did, newest last, also to tenants: only callers who may act for
-- every tenant see it, and only administrators the names of secrets and the URLs.
create or replace view sluice.audit_log with (security_barrier) as
  select a.id, sluice.guarded(a.at) as at, sluice.guarded(case when a.api_key is null
      then a.who::text else format('key %s via %s', a.api_key, a.who) end) as who,
    sluice.guarded(a.action) as action, sluice.guarded(a.object) as object,
    sluice.guarded(case when (select sluice.acts_as_administrator()) then a.detail
      else sluice.without_secrets(a.detail) end) as detail
  from sluice.audit a cross join sluice.caller_scope() c
  where not c.bound and c.tenants = '{}';

-- tasks: every task of the caller's tenants, with its state, texts and times. One task is found
-- fastest by sluice.task(id), the newest ones by sluice.newest_ids().
--
-- A task's state is the place that holds its row. One branch for each place with a constant status,
-- so that where status = 'queued' reads queues only. Listings without a filter page sluice.task by
-- id first. Whose tasks a caller sees: 1_base/callers.sql. The view is a security barrier, so that
-- no function in a caller's condition sees the others.
--
-- A caller's settings plan the joins, over everybody's rows. So a model's name is looked up for
-- each row that is the caller's: a merge read models up to that of another's task (D-409). A test
-- compares such plans. Tasks are looked up by id in subqueries, which have one plan (D-423): with
-- offset 0, for with limit 1 a scan ends at the row, and EXPLAIN counts those before it.
create or replace view sluice.tasks with (security_barrier) as
  select p.task_id as id, p.status, sluice.guarded(t.route) as route,
    sluice.guarded((select m.name from sluice.models m where m.id = p.model)) as model,
    sluice.guarded(t.tenant) as tenant,
    sluice.guarded(t.priority::int) as priority, sluice.guarded(t.prompt) as prompt,
      sluice.guarded(t.request) as request,
    null::text as answer, null::text as response, null::text as error, null::text as error_code,
    sluice.guarded(p.attempts::int) as attempts, null::int as input_tokens,
      null::int as output_tokens, null::numeric as cost,
    sluice.guarded(t.metadata) as metadata, sluice.guarded(t.batch_id) as batch_id,
      sluice.guarded(t.created_at) as created_at,
    sluice.guarded(p.queued_at) as queued_at, sluice.guarded(p.started_at) as started_at,
      null::timestamptz as finished_at,
    sluice.guarded(t.run_at) as run_at, sluice.guarded(t.deadline) as deadline,
    sluice.guarded(t.schema_version) as schema_version,
    null::int as cached_tokens, null::int as cache_write_tokens, null::int as reasoning_tokens,
    sluice.guarded(t.affinity_key) as affinity_key
  from (
    select task_id, 'unsolved' as status, model, attempts, null::timestamptz as queued_at,
      null::timestamptz as started_at
    from sluice.later
    union all
    select task_id, 'queued', model, attempts, ready_at, null from sluice.queue
    union all
    select task_id, 'processing', model, attempts + 1, ready_at, started_at from sluice.lease) p
  cross join lateral (select t.* from sluice.task t where t.id = p.task_id offset 0) t
  cross join sluice.caller_scope() c
  where (t.tenant = any (c.tenants)) = c.bound
  union all
  select r.task_id, r.status, sluice.guarded(t.route), sluice.guarded(r.model),
    sluice.guarded(t.tenant), sluice.guarded(t.priority::int), sluice.guarded(t.prompt),
      sluice.guarded(t.request),
      sluice.guarded(r.answer), sluice.guarded(r.response), sluice.guarded(r.error),
      sluice.guarded(r.error_code), sluice.guarded(r.attempts), sluice.guarded(r.input_tokens),
      sluice.guarded(r.output_tokens), sluice.guarded(trim_scale(r.cost)),
      sluice.guarded(t.metadata), sluice.guarded(t.batch_id), sluice.guarded(t.created_at),
      sluice.guarded(r.queued_at), sluice.guarded(r.started_at), sluice.guarded(r.finished_at),
      sluice.guarded(t.run_at), sluice.guarded(t.deadline), sluice.guarded(t.schema_version),
      sluice.guarded(r.cached_tokens), sluice.guarded(r.cache_write_tokens),
      sluice.guarded(r.reasoning_tokens), sluice.guarded(t.affinity_key)
  from sluice.result r
  cross join lateral (select t.* from sluice.task t where t.id = r.task_id offset 0) t
  cross join sluice.caller_scope() c
  where (t.tenant = any (c.tenants)) = c.bound;

-- refuse_task_change: who writes to the view is told which function does that. Others than the
-- schema's owner are refused before, for they have no right to write.
-- Errors:  SL004.
create or replace function sluice.refuse_task_change() returns trigger
language plpgsql
set search_path = sluice, pg_temp
as $$
begin
  raise exception 'sluice.tasks is a view: functions change tasks' using errcode = 'SL004',
    hint = case tg_op when 'INSERT' then 'Call sluice.submit(prompt, model).'
      else 'sluice.cancel(id) ends a task, sluice.redrive(id) has it done again, sluice.forget(id) '
        'erases its texts.' end;
end
$$;

create or replace trigger refuse_task_change instead of insert or update or delete on sluice.tasks
  for each row execute function sluice.refuse_task_change();

-- task: one task by its id: the row of sluice.tasks, found fast however many tasks there are.
-- Params:  id: as submit returned it.
-- Returns: one row; none when there is no such task among the caller's tenants'.
--
-- Read by keys: its own model's or its route's lines only. Looks in all places in one statement,
-- and repeats that while the task is between two of them.
create or replace function sluice.task(id bigint) returns setof sluice.tasks
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_task sluice.task;
  v_place record;
begin
  for v_try in 1 .. 100 loop  -- also its row again: a job may have moved it to another model
    select * into v_task from sluice.task t where t.id = task.id;
    if not found or not sluice.may_act_for(v_task.tenant) then
      return;
    end if;
    v_place := sluice.find_place(v_task.id, v_task.model, v_task.route);
    if v_place.status is null then
      return query select * from sluice.tasks s
        where s.id = v_task.id and s.status not in ('unsolved', 'queued', 'processing');
      exit when found;
    else
      return query select v_task.id, v_place.status, v_task.route,
        (select m.name from sluice.models m where m.id = v_place.model), v_task.tenant,
          v_task.priority::int, v_task.prompt,
        v_task.request, null, null, null, null, v_place.attempts, null::int, null::int,
          null::numeric, v_task.metadata,
        v_task.batch_id, v_task.created_at, v_place.queued_at, v_place.started_at,
          null::timestamptz, v_task.run_at,
        v_task.deadline, v_task.schema_version, null::int, null::int, null::int,
        v_task.affinity_key;
      exit;
    end if;
  end loop;
end
$$;

-- model_state: what keeps calls of a model back, the longest-lasting reason first: paused, parked,
-- closed, breaker open, half open; open: nothing does.
-- Params:  p_model: its row; p_breaker: the breaker's state (null: closed); p_now: the time.
--
-- Its words differ from those of the breaker, because an open breaker is the opposite of an open
-- model.
create or replace function sluice.model_state(
  p_model sluice.models, p_breaker text, p_now timestamptz)
returns text
language sql immutable parallel safe
set search_path = sluice, pg_temp
as $$
  select case when p_model.paused then 'paused'
    when p_model.closed_until = 'infinity' then 'parked'
    when p_model.closed_until > p_now then 'closed'
    when p_breaker = 'open' then 'breaker open'
    when p_breaker = 'half_open' then 'half open'
    else 'open' end
$$;

-- unserved_versions: the versions of payloads of tasks that wait for a model, or its routes, and
-- that no live worker of a model which takes them serves; null: there are none. Called by the view
-- queues, as its reader.
create or replace function sluice.unserved_versions(model text, p_now timestamptz default null)
returns text[]
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  perform sluice.require_collation(unserved_versions.model);
  return (select array_agg(distinct l.version order by l.version)
    from sluice.models m cross join unnest(sluice.lines_for(m)) o(line)
    join sluice.route_line l on l.n = -o.line and l.version is not null
    where m.name = unserved_versions.model and sluice.is_waiting(o.line, v_now)
      and not exists (select from sluice.models t
        where t.id = any (sluice.models_of_line(o.line))
          and sluice.live_workers(t, v_now, l.version) <> '{}'));
end
$$;

-- queues: one row for each model: how deep, how busy, how close to its limits.
-- permits_now and next_permit_at are null without a quota, and on a standby.
--
-- unfinished includes its share of the tasks that wait in its routes (3_limits/backpressure.sql);
-- the shares add up to all. sustained_rpm is what the quota allows in the long run: 60 s / T
-- (3_limits/permits.sql). state is model_state; state_reason says why, and state_until how long
-- (infinity: until somebody resumes it; null: until a probe decides).
create or replace view sluice.queues as
  select m.name as model, f.depth, f.in_flight, u.unfinished,
    extract(epoch from greatest(clock_timestamp(), f.oldest_ready)
      - f.oldest_ready)::double precision as oldest_ready_s,
    f.permits_now, f.next_permit_at,
      (60e9 / (sluice.request_quota(m)).interval_ns)::double precision as sustained_rpm,
    sluice.pressure(u.unfinished, coalesce(m.max_unfinished, s.max_unfinished)) as pressure,
    m.paused, m.closed_until, c.reason as closed_reason,
      coalesce(b.state, 'closed') as breaker, w.state,
    case when w.state in ('parked', 'closed') then c.reason
      when w.state in ('breaker open', 'half open') then b.reason end as state_reason,
    case when w.state in ('parked', 'closed') then m.closed_until
      when w.state = 'breaker open' then b.since + m.breaker_open end as state_until,
    sluice.unserved_versions(m.name) as unserved_versions
  from sluice.models m
  left join sluice.breaker b on b.model = m.id
  join sluice.routed_shares() r on r.model = m.id
  cross join lateral sluice.queue_facts_of(m) f
  cross join lateral (select f.depth + f.in_flight + f.waiting + r.tasks as unfinished) u
  cross join lateral (select sluice.shown_reason(m.closed_reason, m.closed_detail) as reason) c
  cross join lateral (select sluice.model_state(m, b.state, clock_timestamp()) as state) w
  cross join sluice.settings s;

-- workers: the registered workers; those that are gone are kept for a day.
--
-- alive: it has sent a heartbeat within settings.heartbeat_timeout, or sleeps (fall_asleep).
create or replace view sluice.workers as
  select w.id, w.name, w.slots, w.models, w.version, w.registered_at,
    least(w.seen, clock_timestamp()) as seen, w.dead_at,
    w.dead_at is null and w.seen >= clock_timestamp() - s.heartbeat_timeout as alive,
    (select count(*) from sluice.lease l where l.worker = w.id) as in_flight, w.apis,
    w.schema_versions
  from sluice.worker w, sluice.settings s;

-- breaker_events: the newest 1,000 transitions of each model's breaker, and of its being parked and
-- opened: when, from which state to which, and why.
create or replace view sluice.breaker_events as
  select e.id, e.at, m.name as model, e.from_state, e.to_state, e.reason
  from sluice.breaker_event e join sluice.models m on m.id = e.model;

-- budget_events: when budgets reached their marks and when tasks found them exhausted, for 400
-- days: for administrators. Each is told once in a window of its budget; of one that rolls, once a
-- day in UTC; and anew after the limit was raised.
create or replace view sluice.budget_events with (security_barrier) as
  select k.at, b.name as budget, case when k.per_cent > 0 then 'mark' else 'exhausted' end as event,
    nullif(k.per_cent, 0) as per_cent, k.window_from
  from sluice.budget_mark k join sluice.budgets b on b.id = k.budget
  where (select sluice.acts_as_administrator());
