-- What a job does to a page of tasks.

-- act_on: does a job's action to tasks of one place.
-- Params:  p_place: result, or the table in which unfinished tasks were found; p_ids: ascending.
-- Returns: changed: the tasks that it changed, as they were; skipped: how many do not fit.
-- Errors:  SL001 the target is no more.
create or replace function sluice.act_on(
  p_job sluice.job, p_place text, p_ids bigint[], p_now timestamptz, out changed sluice.job_task[],
  out skipped int)
language plpgsql volatile
as $$
declare
  v_ids bigint[] := case when p_job.target is not null or p_job.priority is not null
    then sluice.fitting(p_job, p_ids) else p_ids end;
  v_target record;
begin
  skipped := cardinality(p_ids) - cardinality(v_ids);
  changed := array(
    select row(t.id, r.queued_at, r.cost, r.attempts, r.status, r.fence, t.model, t.route, t.api,
      t.priority)::sluice.job_task
    from sluice.task t left join lateral (
      select r.queued_at, r.cost, r.attempts, r.status, r.fence from sluice.result r
      where r.task_id = t.id limit 1) r on true
    where t.id = any (v_ids) order by t.id);
  if p_job.target is not null then
    select t.id as model, t.route, (  -- the api that verbatim requests have in a route
      select min(m.api) from sluice.routes r join sluice.models m on m.name = r.model
      where r.route = t.route) as api
    into v_target from sluice.target(p_job.target, false) t;
    perform sluice.name_target(v_ids, v_target.model, v_target.route, v_target.api)
    where p_job.action = 'redrive';
  end if;
  case p_job.action
    when 'redrive' then perform sluice.redrive_tasks(v_ids, p_now);
    when 'forget' then perform sluice.forget_texts(v_ids, p_now);
    when 'cancel' then
      v_ids := array(select i from unnest(v_ids) i
        where (select c.task_id from sluice.cancellation c where c.task_id = i limit 1) is null);
      perform sluice.cancel_in_place(p_place, v_ids, p_now);
      v_ids := array(select i from unnest(v_ids) i
        where exists (select from sluice.cancellation c where c.task_id = i)
          or exists (select from sluice.result r where r.task_id = i and r.status = 'cancelled'));
    when 'move' then v_ids := sluice.move_waiting(p_place, v_ids, v_target.model, v_target.route,
      v_target.api);
    when 'prioritise' then v_ids := sluice.prioritise(p_place, v_ids, p_job.priority);
  end case;
  changed := array(select c from unnest(changed) c where c.task_id = any (v_ids));
end
$$;

-- name_target: has tasks name another model or route.
-- Params:  p_model or p_route; p_api: of verbatim requests, for a route.
-- Locks:   rows of tasks. Requires lock_class('retain') 1, shared: it updates sluice.task.
create or replace function sluice.name_target(
  p_ids bigint[], p_model int, p_route text, p_api text) returns void
language plpgsql volatile
as $$
begin
  update sluice.task t set model = p_model, route = p_route,
    api = case when p_route is not null and t.request is not null then p_api end
  where t.id = any (p_ids);
end
$$;

-- waiting_ids: locks those of tasks p_ids that wait in one place, ascending, and returns them.
create or replace function sluice.waiting_ids(p_place text, p_ids bigint[]) returns bigint[]
language plpgsql volatile
as $$
declare
  v_ids bigint[];
begin
  execute format('select array_agg(w.task_id order by w.task_id) from (
      select task_id from sluice.%I where task_id = any ($1) order by task_id for update) w',
    p_place)
  into v_ids using p_ids;
  return coalesce(v_ids, '{}');
end
$$;

-- move_waiting: moves those of tasks p_ids that wait in one place to another model or route. They
-- keep their age, so they stand in the new line by the time since which they are ready.
-- Params:  as name_target.
-- Returns: the ids of those that it moved, ascending.
-- Errors:  SL001 the model or route is no more.
-- Locks:   rows of tasks, then the line: only at the end, because claims wait for it. Requires
--          lock_class('retain') 1, shared: it updates sluice.task.
create or replace function sluice.move_waiting(
  p_place text, p_ids bigint[], p_model int, p_route text, p_api text)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_ids bigint[] := sluice.waiting_ids(p_place, p_ids);
begin
  if v_ids = '{}' then
    return v_ids;
  end if;
  -- As a submit does: it is not deleted under this transaction.
  perform sluice.hold_line(l) from unnest(case when p_route is null
      then sluice.lines_of_model(p_model)
    else sluice.lines_of_route(p_route) end) l;
  perform sluice.name_target(v_ids, p_model, p_route, p_api), sluice.note_unfinished(v_ids);
  if p_place = 'later' then
    update sluice.later l set model = p_model, route = p_route where l.task_id = any (v_ids);
  else
    perform sluice.put_back(array(
      select row(r.task_id, r.ready_at, r.deadline, p_model, r.request_bytes, r.fence, r.rank,
        r.attempts, p_route, r.tenant)::sluice.later
      from unnest(sluice.take_waiting(p_place, v_ids)) r), null);
  end if;
  return v_ids;
end
$$;

-- prioritise: gives those of tasks p_ids that wait in one place another priority. They keep their
-- age.
-- Returns: the ids of those to which it gave it, ascending.
-- Locks:   as move_waiting.
create or replace function sluice.prioritise(p_place text, p_ids bigint[], p_priority int)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_ids bigint[] := sluice.waiting_ids(p_place, p_ids);
  v_route text := (
    select l.route from sluice.route_line l where l.n = -sluice.line_of_place(p_place));
begin
  if v_ids = '{}' then
    return v_ids;
  end if;
  update sluice.task t set priority = p_priority where t.id = any (v_ids);
  if p_place = 'later' then
    update sluice.later l set rank = -p_priority where l.task_id = any (v_ids);
  else
    perform sluice.put_back(array(
      select row(r.task_id, r.ready_at, r.deadline, r.model, r.request_bytes, r.fence, -p_priority,
        r.attempts, v_route, r.tenant)::sluice.later
      from unnest(sluice.take_waiting(p_place, v_ids)) r), null);
  end if;
  return v_ids;
end
$$;
