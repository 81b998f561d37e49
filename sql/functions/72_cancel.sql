-- cancel: ends a task that waits, and has a running one aborted.
-- Returns: the status after: cancelled, processing (a worker has it: it is told at once, and ends the call as cancelled
--          unless that ends first), or the final one found.
-- Errors:  SL006 no such task among the caller's tenants'.
create or replace function sluice.cancel(id bigint, p_now timestamptz default null) returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_task record;
  v_status text;
begin
  select t.id, t.model, t.route, t.tenant into v_task from sluice.task t where t.id = cancel.id;
  perform sluice.require_task(cancel.id, v_task.tenant);
  v_status := sluice.cancel_found(v_task.id, v_task.model, v_task.route, sluice.now_for(p_now));
  perform sluice.note_command('cancel', cancel.id::text);
  return coalesce(v_status, 'processing');
end
$$;

-- cancel_found: cancel, of a task that is there and may be cancelled: its id, and what it named.
-- Returns: the status after; null: it moved from place to place all the time.
-- It is looked for in all places in one statement, again while it was in none of them or has left the one where it was (measured
-- beside four movers: place by place missed 553 of 17,046 living tasks, one statement none).
create or replace function sluice.cancel_found(p_task bigint, p_model int, p_route text, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_place record;
  v_status text;
begin
  for v_try in 1 .. 100 loop
    v_place := sluice.find_place(p_task, p_model, p_route, v_try);
    if v_place.status = 'processing' then
      v_status := sluice.mark_lease(p_task, p_now);
    elsif v_place.status is null then
      v_status := (select status from sluice.result where task_id = p_task);
    elsif sluice.end_waiting(coalesce('queue_' || sluice.line_name(v_place.line), 'later'), array[p_task], 'cancelled', p_now) = 1 then
      v_status := 'cancelled';
    end if;
    exit when v_status is not null;
  end loop;
  return v_status;
end
$$;

-- mark_lease: has the call of task p_task aborted. Its lease is marked, not locked: an open cancel must not hold up the flush of its
-- worker. A mark that comes too late for its lease is settled by the next sweep, wherever the task has gone.
-- Returns: processing, or null: no worker has it.
create or replace function sluice.mark_lease(p_task bigint, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_status text;
  v_worker bigint;
begin
  with marked as (
    insert into sluice.cancellation (task_id, worker, at, fence)
    select l.task_id, l.worker, p_now, l.fence from sluice.lease l where l.task_id = p_task
    on conflict do nothing returning worker)
  select 'processing', (select worker from marked) into v_status, v_worker from sluice.lease where task_id = p_task;
  if v_worker is not null then
    perform pg_notify('sluice_abort', v_worker::text);  -- a heartbeat at once instead of in its time
  end if;
  return v_status;
end
$$;

-- cancel_all: cancels every unfinished task that meets all the given conditions.
-- Params:  model: a model's name (tasks that named it, or that a worker calls it for) or a route's (all its tasks); tenant;
--          metadata: contained in the task's; batch_id; since, until: submitted from then on, and before then. At least one of them.
--          What waits for a route is no model's yet: to empty one of its models ends nothing that another one can do.
-- Returns: how many tasks it ended or, where a worker has them, marked for abortion. Tasks submitted meanwhile stay, and
--          those of tenants that the caller may not act for.
-- Errors:  SL001 unknown model or route; SL004 no condition at all; SL009 not this caller's tenant.
create or replace function sluice.cancel_all(
  model text default null, tenant text default null, metadata jsonb default null, batch_id bigint default null,
  since timestamptz default null, until timestamptz default null, p_now timestamptz default null) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return (sluice.bulk_part('cancel', sluice.task_filter_of(cancel_all.model, cancel_all.tenant, cancel_all.metadata,
    cancel_all.batch_id, cancel_all.since, cancel_all.until),
    null, 'infinity', sluice.now_for(p_now))).done;
end
$$;

-- cancel_some: a part of cancel_all, which ends between two pages when the clock reads p_stop. A page: at most 1,000 tasks of the caller's
-- tenants, or of the one that is meant, out of 20,000 rows of all. Each place has the tenant, so that others' tasks are not read (beside
-- 800,000 of them it took 4 s).
-- Params:  p_from: null, or what the part before gave as next. Returns: done: how many it ended or newly marked; next: null at the end.
-- Running tasks first and last, and the lines before and after what waits for its time: whichever way a task moves meanwhile, it comes
-- past a place that is yet to be looked at. A line that is gone has none.
create or replace function sluice.cancel_some(
  p_filter sluice.task_filter, p_from jsonb, p_stop timestamptz, p_now timestamptz, out done bigint, out next jsonb)
language plpgsql volatile
as $$
declare
  v_until bigint := coalesce((p_from ->> 'until')::bigint, (select last_value from sluice.task_id));
  v_after bigint := coalesce((p_from ->> 'after')::bigint, 0);
  v_queues text[] := array(select 'queue_' || sluice.line_name(l) from unnest(sluice.all_lines()) l
    where p_filter.name is null or l = p_filter.model or l = any (sluice.lines_of_route(p_filter.route))
      or p_filter.route is not null and l > 0 order by l);
  v_places text[] := array['lease'] || v_queues || array['later'] || v_queues || array['lease'];
  v_scope record := sluice.caller_scope();
  v_page bigint[];
  v_last bigint;
  v_ids bigint[];
begin
  if p_from is not null then
    v_places := array(select e.place from jsonb_array_elements_text(p_from -> 'places') with ordinality e (place, n)
      where to_regclass(format('sluice.%I', e.place)) is not null order by e.n);
  end if;
  done := 0;
  while v_places <> '{}' loop
    execute format($sql$
      with page as materialized (
        select task_id, tenant, model from sluice.%I where task_id > $1 and task_id <= $2 order by task_id limit 20000),
      meant as (
        select task_id from page where ($3 is null or model = $3) and (tenant = any ($4)) = $5 and ($6 is null or tenant = $6)
        order by task_id limit 1000)
      select array_agg(task_id), case when count(*) = 1000 then max(task_id) else (select max(task_id) from page) end from meant
      $sql$, v_places[1])
    into v_page, v_last using v_after, v_until, p_filter.model, v_scope.tenants, v_scope.bound, p_filter.tenant;
    v_ids := array(select t.id from sluice.task t
      where t.id = any (v_page) and (p_filter.route is null or t.route = p_filter.route) and sluice.is_meant(p_filter, t, t.created_at)
        and not exists (select from sluice.cancellation c where c.task_id = t.id));
    done := done + case when v_ids = '{}' then 0
      when v_places[1] = 'lease' then (select count(*) from sluice.task t
        where t.id = any (v_ids) and sluice.cancel_found(t.id, t.model, t.route, p_now) in ('processing', 'cancelled'))
      else sluice.end_waiting(v_places[1], v_ids, 'cancelled', p_now) end;
    v_after := coalesce(v_last, 0);
    if v_last is null then
      v_places := v_places[2:];
    end if;
    exit when clock_timestamp() >= p_stop;
  end loop;
  if v_places <> '{}' then
    next := jsonb_build_object('places', v_places, 'after', v_after, 'until', v_until);
  end if;
end
$$;

-- end_waiting: ends tasks that wait for their time or in a line; those of p_ids that are there.
-- Params:  p_place: later or queue_<l>; p_status: cancelled or expired; p_now. Returns how many.
-- Locked in ascending order of id, then deleted by a statement of its own, which sees rows that were changed meanwhile.
create or replace function sluice.end_waiting(p_place text, p_ids bigint[], p_status text, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_ended bigint[];
begin
  execute format('select from sluice.%I where task_id = any ($1) order by task_id for update', p_place) using p_ids;
  execute format($sql$
    with gone as (
      delete from sluice.%1$I q where q.task_id = any ($1)
      returning q.task_id, q.ready_at, q.fence, q.attempts, q.model),
    ended as (
      insert into sluice.result (task_id, created_at, queued_at, finished_at, fence, attempts, status, model, error_code, error)
      select g.task_id, t.created_at, %2$s, $3, g.fence, g.attempts, $2, m.name, e.code, e.error
      from gone g join sluice.task t on t.id = g.task_id left join sluice.models m on m.id = g.model
      join (values ('cancelled', 'cancelled', 'cancelled before it had an outcome'),
                   ('expired', 'deadline', 'the deadline passed before a worker could start it')) e(status, code, error) on e.status = $2
      on conflict do nothing returning task_id)
    select array_agg(task_id) from ended
    $sql$, p_place, case when p_place = 'later' then 'null' else 'g.ready_at' end)
  into v_ended using p_ids, p_status, p_now;
  perform sluice.note_ended(v_ended, p_status);
  return coalesce(cardinality(v_ended), 0);
end
$$;

-- settle_cancellations: cancels where they are now the tasks whose marked calls have ended, in whichever way, and removes the marks: what
-- has ended itself keeps its end. Called by whoever ends leases with marks, in the same transaction: nobody else sees such a task go back.
-- And by sweep and tick, for marks that were committed after their leases had ended. At most 1,000 a call. Returns how many it settled.
-- Params:  p_now; p_tasks: only these (null: all).
-- Waits for a row that somebody is cancelling in an open transaction no longer than 50 ms.
create or replace function sluice.settle_cancellations(p_now timestamptz, p_tasks bigint[] default null) returns int
language plpgsql volatile
set lock_timeout = '50ms'
as $$
declare
  v_mark record;
  v_settled int := 0;
begin
  for v_mark in
    select c.task_id, c.fence, t.model, t.route
    from sluice.cancellation c join sluice.task t on t.id = c.task_id
    where not exists (select from sluice.lease l where l.task_id = c.task_id and l.fence = c.fence)
      and (p_tasks is null or c.task_id = any (p_tasks))
    order by c.task_id limit 1000
  loop
    begin
      if sluice.cancel_found(v_mark.task_id, v_mark.model, v_mark.route, p_now) is not null then
        delete from sluice.cancellation c where c.task_id = v_mark.task_id and c.fence = v_mark.fence;
        v_settled := v_settled + 1;
      end if;
    exception when lock_not_available then
      null;  -- the next round
    end;
  end loop;
  return v_settled;
end
$$;
