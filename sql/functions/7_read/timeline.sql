-- The timeline of one task: everything that happened to it, as far as it is noted.

-- worker_name: the name of a worker, or its id when it is not known any more.
create or replace function sluice.worker_name(p_worker bigint) returns text
language plpgsql stable
as $$
begin
  return coalesce((select w.name from sluice.worker w where w.id = p_worker), p_worker::text);
end
$$;

-- plain_event: an event of which no more is known than this.
create or replace function sluice.plain_event(
  p_at timestamptz, p_kind text, p_model text, p_worker text default null, p_fence int default null,
  p_wait_s double precision default null)
returns sluice.task_event
language sql immutable parallel safe
as $$
  select row(p_at, p_kind, null, p_model, p_worker, p_fence, p_wait_s, null, null, null, null, null,
    null, null, null)::sluice.task_event
$$;

-- events_of_calls: the calls of task p_task that are over, and ends that a redrive took back; the
-- newest 1,000.
create or replace function sluice.events_of_calls(
  p_task bigint, p_created_at timestamptz, p_run_at timestamptz)
returns setof sluice.task_event
language plpgsql stable
as $$
declare
  c_calls_max constant int := 1000;
  v sluice.attempt;
  v_since timestamptz := greatest(p_created_at, p_run_at);
  v_over timestamptz;  -- when the call ended, or was taken back; it may have several rows
  v_fence int;
begin
  for v in
    select a.* from (select n.* from sluice.attempt n where n.task_id = p_task
      order by n.id desc limit c_calls_max) a order by a.fence, a.id
  loop
    if v.fence is distinct from v_fence then
      v_since := greatest(v_since, v_over);
      v_fence := v.fence;
    end if;
    if v.started_at is not null and v.kind <> 'hedged' then
      return next sluice.plain_event(v.started_at, 'claimed', v.model, sluice.worker_name(v.worker),
        v.fence, sluice.seconds_between(v_since, v.started_at));
    end if;
    return next row(coalesce(v.ended_at, v.started_at),
      case v.kind when 'redriven' then 'ended' else v.kind end, null,
      case v.kind when 'rerouted' then v.fallback_to else v.model end,
      sluice.worker_name(v.worker), v.fence, null, sluice.seconds_between(v.started_at, v.ended_at),
      v.http_status, v.error_code, v.error, v.input_tokens, v.output_tokens, v.billed,
      trim_scale(v.cost))::sluice.task_event;
    if v.kind = 'redriven' then
      return next sluice.plain_event(v.redriven_at, 'redriven', null, null, v.fence);
    end if;
    v_over := greatest(v_over, v.redriven_at, case when v.kind <> 'hedged' then v.ended_at end);
  end loop;
end
$$;

-- events_of_place: where an unfinished task is now.
-- Params:  p_name: of the model or route that it named; p_queued_at: null: it is not queued.
create or replace function sluice.events_of_place(
  p_task bigint, p_name text, p_queued_at timestamptz)
returns setof sluice.task_event
language sql stable
as $$
  select sluice.plain_event(p_queued_at, 'queued', p_name) where p_queued_at is not null
  union all
  select sluice.plain_event(l.started_at, 'claimed', m.name, sluice.worker_name(l.worker), l.fence,
    sluice.seconds_between(l.ready_at, l.started_at))
  from sluice.lease l left join sluice.models m on m.id = l.model where l.task_id = p_task
  union all
  select sluice.plain_event(l.ready_at, 'waits_until', p_name)
  from sluice.later l where l.task_id = p_task
$$;

-- events_of_result: how a task ended.
-- Params:  p_name: of the model or route that it named.
create or replace function sluice.events_of_result(p_task bigint, p_name text)
returns setof sluice.task_event
language sql stable
as $$
  select e.event from sluice.result r cross join lateral (
    select sluice.plain_event(r.queued_at, 'queued', p_name) as event
    where r.queued_at is not null
    union all
    select sluice.plain_event(r.started_at, 'claimed', r.model, sluice.worker_name(r.worker),
      r.fence, sluice.seconds_between(r.queued_at, r.started_at))
    where r.started_at is not null
    union all
    select row(r.finished_at, 'ended', r.status, r.model, sluice.worker_name(r.worker), r.fence,
      null, sluice.seconds_between(r.started_at, r.finished_at), r.http_status, r.error_code,
      r.error, r.input_tokens, r.output_tokens, null, trim_scale(r.cost))::sluice.task_event) e
  where r.task_id = p_task
$$;

-- timeline: what happened to one task, the oldest first: a row for its submit, each wait, claim,
-- call and its end.
-- Params:  id: of the task.
-- Returns: kind: submitted; waits_until (run_at, or a retry's turn); queued; claimed; retry,
--          failed, lost, late, returned, hedged: what became of a call; rerouted: to another model,
--          because of error_code; redriven; ended, with its status unless a redrive took it back.
--          wait_s: of claimed: how long the task had waited; call_s: how long the call took;
--          billed: whether it was paid for (null: not known).
-- Errors:  SL006 no such task among the caller's tenants'.
create or replace function sluice.timeline(id bigint) returns setof sluice.task_event
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_order constant text[] := array['submitted', 'redriven', 'waits_until', 'queued', 'claimed'];
  v record;
  v_name text;
  v_events sluice.task_event[];
begin
  select t.created_at, t.run_at, t.model, t.route, t.tenant into v
  from sluice.task t where t.id = timeline.id;
  perform sluice.require_task(timeline.id, v.tenant);
  v_name := coalesce(v.route, (select m.name from sluice.models m where m.id = v.model));
  v_events := array(select sluice.events_of_calls(timeline.id, v.created_at, v.run_at))
    || array(select sluice.events_of_place(timeline.id, v_name, p.queued_at)
      from sluice.find_place(timeline.id, v.model, v.route) p)
    || array(select sluice.events_of_result(timeline.id, v_name));
  return query
  select (e.event).* from (
    select sluice.plain_event(o.at, o.kind, coalesce((select a.model from sluice.attempt a
        where a.task_id = timeline.id and a.kind = 'rerouted' order by a.id limit 1), v_name))
        as event, 0 as n
    from (values (v.created_at, 'submitted'), (v.run_at, 'waits_until')) o(at, kind)
    where o.kind = 'submitted' or o.at > v.created_at
    union all
    -- The last call stands among the attempts, too, if it failed: its claim is told once, by what
    -- knows when it was queued.
    select o.event, o.n from (
      select w.event, w.n, row_number() over (
        partition by (w.event).kind, (w.event).fence order by w.n desc) as place
      from (select v_events[n] as event, n from generate_subscripts(v_events, 1) n) w) o
    where case (o.event).kind when 'claimed' then o.place = 1
      when 'waits_until' then (o.event).at is distinct from v.run_at else true end) e
  order by (e.event).at, array_position(c_order, (e.event).kind) nulls last, e.n;
end
$$;
