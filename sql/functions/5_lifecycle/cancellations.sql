-- Ends without a call's outcome: of waiting tasks, and of leases whose worker is told to abort the
-- call.

-- end_rows: stores the results of tasks that have ended as p_status: cancelled, expired or, because
-- they are over a budget, failed. Their rows have been taken out of where they waited.
-- Params:  p_rows: may be null; p_model: the model for which they were taken (null: the one that
--          each waits for); p_errors: of those that failed, in their order.
-- Returns: how many.
create or replace function sluice.end_rows(
  p_rows sluice.queue[], p_model int, p_status text, p_now timestamptz, p_errors text[])
returns int
language plpgsql volatile
as $$
declare
  v_ended bigint[];
begin
  with ended as (
    insert into sluice.result (task_id, created_at, queued_at, finished_at, fence, attempts, status,
      model, error_code, error)
    select q.task_id, t.created_at, q.ready_at, p_now, q.fence, q.attempts, p_status, m.name,
      e.code, coalesce(p_errors[q.ordinality], e.error)
    from unnest(p_rows) with ordinality q
    cross join lateral (select t.created_at from sluice.task t where t.id = q.task_id limit 1) t
    left join sluice.models m on m.id = coalesce(p_model, q.model)
    join (values ('cancelled', 'cancelled', 'cancelled before it had an outcome'),
                 ('expired', 'deadline', 'the deadline passed before a worker could start it'),
                 ('failed', 'over_budget', null))
                   e(status, code, error) on e.status = p_status
    on conflict do nothing returning task_id)
  select array_agg(task_id) into v_ended from ended;
  perform sluice.note_ended(v_ended, p_status);
  return coalesce(cardinality(v_ended), 0);
end
$$;

-- cancel_found: cancels a task that exists and may be cancelled.
-- Params:  its id, and the model and route that it named.
-- Returns: the status afterwards; null: it kept moving between places.
-- All places are searched by one statement, for one after the other misses tasks that move, and
-- again if the task was in none of them or left the one where it was found.
create or replace function sluice.cancel_found(
  p_task bigint, p_model int, p_route text, p_now timestamptz)
returns text
language plpgsql volatile
as $$
declare
  v_place record;
  v_status text;
begin
  for v_try in 1 .. 100 loop
    v_place := sluice.find_place(p_task, p_model, p_route);
    if v_place.status = 'processing' then
      v_status := sluice.request_abort(p_task, p_now);
    elsif v_place.status is null then
      v_status := (select status from sluice.result where task_id = p_task);
      -- a job may have moved it to another model
      select t.model, t.route into p_model, p_route from sluice.task t where t.id = p_task;
    elsif sluice.end_waiting(sluice.place_of(coalesce(v_place.line, 0)),
      array[p_task], 'cancelled', p_now) = 1 then
      v_status := 'cancelled';
    end if;
    exit when v_status is not null;
  end loop;
  return v_status;
end
$$;

-- request_abort: has the call of task p_task aborted. The request is noted beside the lease, which
-- is not locked, so that an open cancel does not hold up its worker's flush. A request that comes
-- too late for its lease is settled by the next sweep, wherever the task has gone.
-- Returns: processing, or null: no worker has it.
create or replace function sluice.request_abort(p_task bigint, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_status text;
  v_worker bigint;
begin
  with noted as (
    insert into sluice.cancellation (task_id, worker, at, fence)
    select l.task_id, l.worker, p_now, l.fence from sluice.lease l where l.task_id = p_task
    on conflict do nothing returning worker)
  select 'processing', (select worker from noted) into v_status, v_worker from sluice.lease
  where task_id = p_task;
  if v_worker is not null then
    -- a heartbeat at once instead of in its time
    perform sluice.notify('sluice_abort', v_worker::text);
  end if;
  return v_status;
end
$$;

-- take_waiting: deletes those of tasks p_ids that wait in one place, and makes the lanes known that
-- it takes from; of what waits for its time, the tenants. No budget waits for them any longer.
-- Params:  p_place: later or queue_<l>.
-- Returns: their rows, null: none; of what waits for its time without ready_at.
create or replace function sluice.take_waiting(p_place text, p_ids bigint[])
returns sluice.queue[]
language plpgsql volatile
as $$
declare
  v_rows sluice.queue[];
begin
  execute format('
    with gone as (delete from sluice.%I where task_id = any ($1) returning *)
    select array_agg(row(g.task_id, %s, g.deadline, g.model, g.request_bytes, g.fence, g.rank,
      g.attempts, g.tenant)::sluice.queue) from gone g', p_place,
    case when p_place = 'later' then 'null' else 'g.ready_at' end)
  into v_rows using p_ids;
  if p_place = 'later' then
    perform sluice.note_later_gone(array(select r.tenant from unnest(v_rows) r));
    delete from sluice.budget_wait w where w.task_id = any (array(select r.task_id
      from unnest(v_rows) r));
  else
    perform sluice.note_gone(sluice.line_of_place(p_place), v_rows);
  end if;
  return v_rows;
end
$$;

-- end_waiting: ends those of tasks p_ids that wait in one place. They are locked in ascending order
-- of id, then deleted by another statement, which sees rows that changed meanwhile.
-- Params:  p_place: later or queue_<l>; p_status: cancelled or expired.
-- Returns: how many.
create or replace function sluice.end_waiting(
  p_place text, p_ids bigint[], p_status text, p_now timestamptz)
returns int
language plpgsql volatile
as $$
begin
  execute format('select from sluice.%I where task_id = any ($1) order by task_id for update',
    p_place) using p_ids;
  return sluice.end_rows(sluice.take_waiting(p_place, p_ids), null, p_status, p_now,
    null);
end
$$;

-- settle_cancellations: handles requests for an abort whose calls have ended, whichever way:
-- cancels their tasks where they are now, unless they have ended, and removes the requests. Called
-- by the transaction that ends the leases, so that nobody sees such a task go back; and by sweep
-- and tick for requests that were committed after their leases ended. At most 1,000 a call. It
-- waits for rows that somebody is cancelling in an open transaction, 50 ms for each, and twice a
-- tenant, four times in all: what comes behind is left to the next call, whose order is another.
-- Params:  p_tasks: only these (null: all).
-- Returns: how many requests it settled.
create or replace function sluice.settle_cancellations(
  p_now timestamptz, p_tasks bigint[] default null)
returns int
language plpgsql volatile
set lock_timeout = '50ms'
as $$
declare
  v_mark record;
  v_settled int := 0;
  v_locked text[] := '{}';  -- whose rows were
begin
  for v_mark in
    select c.task_id, c.fence, t.model, t.route, t.tenant
    from sluice.cancellation c
    cross join lateral (select t.model, t.route, t.tenant from sluice.task t where t.id = c.task_id
      limit 1) t
    where (select l.task_id from sluice.lease l where l.task_id = c.task_id and l.fence = c.fence
        limit 1) is null
      and (p_tasks is null or c.task_id = any (p_tasks))
    order by hashtext(t.tenant || p_now::text), random() limit 1000
  loop
    continue when cardinality(array_positions(v_locked, v_mark.tenant)) >= 2;
    begin
      if sluice.cancel_found(v_mark.task_id, v_mark.model, v_mark.route, p_now) is not null then
        delete from sluice.cancellation c where c.task_id = v_mark.task_id
          and c.fence = v_mark.fence;
        v_settled := v_settled + 1;
      end if;
    exception when lock_not_available then
      v_locked := v_locked || v_mark.tenant;
      exit when cardinality(v_locked) >= 4;
    end;
  end loop;
  return v_settled;
end
$$;
