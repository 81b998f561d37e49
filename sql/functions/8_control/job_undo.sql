-- How a job is undone: part by part, the last one first, as far as tasks are still where the job
-- left them.

-- undo_part: undoes one part of a job.
-- Params:  p_tasks: the tasks as they were. Requires lock_class('retain') 1, shared.
-- Returns: how many tasks it changed back.
create or replace function sluice.undo_part(
  p_job sluice.job, p_tasks sluice.job_task[], p_now timestamptz)
returns int
language plpgsql volatile
as $$
declare
  v_filter sluice.task_filter := sluice.job_filter(p_job);
  v_ids bigint[];
  v_group record;
  v_undone int := 0;
begin
  -- of tenants for which whoever started it may act today
  p_tasks := array(select o from unnest(p_tasks) o
    where (select t.tenant = any (v_filter.tenants) from sluice.task t where t.id = o.task_id)
      = v_filter.is_bound order by o.task_id);
  if p_job.action = 'cancel' then
    v_ids := sluice.cancelled_by(p_job, array(select t.task_id from unnest(p_tasks) t));
    return case when v_ids = '{}' then 0 else sluice.redrive_tasks(v_ids, p_now) end;
  end if;
  for v_group in
    select p.place, t.model, t.route, t.api, t.priority,
      array_agg(p.task order by t.task_id) as tasks, array_agg(t.task_id order by t.task_id) as ids
    from sluice.left_places(p_job, p_tasks) p cross join lateral (select (p.task).*) t
    group by 1, 2, 3, 4, 5 order by p.place = 'later' desc, p.place
  loop
    v_undone := v_undone + case p_job.action
      when 'move' then case when sluice.is_served(v_group.model, v_group.route)
        then cardinality(sluice.move_waiting(v_group.place, v_group.ids, v_group.model,
          v_group.route, v_group.api)) else 0 end
      when 'prioritise' then cardinality(sluice.prioritise(v_group.place, v_group.ids,
        v_group.priority))
      else sluice.end_again(v_group.place, v_group.tasks) end;
  end loop;
  return v_undone;
end
$$;

-- left_places: the tasks that are as a job left them, with each place where they may wait.
create or replace function sluice.left_places(p_job sluice.job, p_tasks sluice.job_task[])
returns table (place text, task sluice.job_task)
language plpgsql volatile
as $$
declare
  v_model int := (select m.id from sluice.models m where m.name = p_job.target);
begin
  return query
  with found as materialized (
    select o, sluice.place_of(l) as line
    from unnest(p_tasks) o cross join lateral (
      select t.model, t.route, t.priority, sluice.facts_of(t) as facts from sluice.task t
      where t.id = o.task_id limit 1) t
    cross join unnest(sluice.lines_of_task(t.facts)) l
    where case p_job.action
      when 'move' then case when v_model is null then t.route = p_job.target
        else t.model = v_model end
      when 'prioritise' then t.priority = p_job.priority
      else true end)
  select f.line, f.o from found f where to_regclass('sluice.' || f.line) is not null
  union all
  select distinct on ((f.o).task_id) 'later', f.o from found f;
end
$$;

-- end_again: ends redriven tasks that wait in one place as they had ended, unless they were claimed
-- since: their outcome goes back from sluice.attempt.
-- Returns: how many.
create or replace function sluice.end_again(p_place text, p_tasks sluice.job_task[]) returns int
language plpgsql volatile
as $$
declare
  v_ids bigint[] := sluice.waiting_ids(p_place, array(select t.task_id from unnest(p_tasks) t));
  v_attempts bigint[];
begin
  -- The fence grows with each claim; put_back makes it 1 at least.
  execute format($sql$
    select array_agg(a.id), array_agg(q.task_id)
    from sluice.%I q join unnest($2) t on t.task_id = q.task_id and q.fence <= greatest(t.fence, 1)
    cross join lateral (
      select a.id from sluice.attempt a where a.task_id = q.task_id and a.kind = 'redriven'
        and a.fence = t.fence order by a.id desc limit 1) a
    where q.task_id = any ($1)
    $sql$, p_place)
  into v_attempts, v_ids using v_ids, p_tasks;
  if v_ids is null then
    return 0;
  end if;
  perform sluice.take_waiting(p_place, v_ids);
  with taken as (delete from sluice.attempt a where a.id = any (v_attempts) returning a.*)
  insert into sluice.result (task_id, worker, created_at, queued_at, started_at, finished_at, fence,
    input_tokens, output_tokens, attempts, http_status, status, model, error_code, error, cost,
    answer, response, stored_by, cached_tokens, cache_write_tokens, reasoning_tokens)
  select k.task_id, k.worker, (select t.created_at from sluice.task t where t.id = k.task_id),
    o.queued_at, k.started_at, k.ended_at, k.fence, k.input_tokens, k.output_tokens, o.attempts,
    k.http_status, o.status, k.model, k.error_code, k.error, o.cost, k.answer, k.response,
    k.stored_by,  -- so the history knows it
    k.cached_tokens, k.cache_write_tokens, k.reasoning_tokens
  from taken k join unnest(p_tasks) o on o.task_id = k.task_id;
  update sluice.task t set model = o.model, route = o.route, api = o.api
  from unnest(p_tasks) o
  where t.id = any (v_ids) and t.id = o.task_id
    and (t.model is distinct from o.model or t.route is distinct from o.route);
  perform sluice.announce_ended(v_ids);
  return cardinality(v_ids);
end
$$;

-- cancelled_by: locks those of tasks p_ids that are cancelled since a job cancelled them, and can
-- be redriven.
create or replace function sluice.cancelled_by(p_job sluice.job, p_ids bigint[]) returns bigint[]
language plpgsql volatile
as $$
begin
  return array(
    select r.task_id from sluice.result r cross join lateral (
      select t.model, t.route, t.forgotten_at from sluice.task t where t.id = r.task_id limit 1) t
    where r.task_id = any (p_ids) and r.status <> 'solved' and r.status = 'cancelled'
      and r.finished_at >= p_job.created_at and t.forgotten_at is null
      and sluice.is_served(t.model, t.route)
      and not exists (select from sluice.attempt a where a.task_id = r.task_id
        and a.kind = 'redriven' and a.redriven_at >= p_job.created_at)
    order by r.task_id for update of r);
end
$$;
