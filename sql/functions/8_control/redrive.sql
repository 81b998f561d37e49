-- Redrive takes the end of a task back: it waits again.

-- require_finished: locks the result of task p_id and returns its status.
-- Errors:  SL006 no such task among the caller's tenants'; SL004 it is still unfinished.
create or replace function sluice.require_finished(p_id bigint) returns text
language plpgsql volatile
as $$
declare
  v_status text;
begin
  for v_try in 1 .. 100 loop
    perform sluice.require_task(p_id, (select t.tenant from sluice.task t where t.id = p_id));
    select status into v_status from sluice.result where task_id = p_id for update;
    if found then
      return v_status;
    end if;
    v_status := (select status from sluice.task(p_id));
    exit when v_status in ('unsolved', 'queued', 'processing');
  end loop;
  raise exception 'task % is still %', p_id, coalesce(v_status, 'processing')
    using errcode = 'SL004',
    hint = 'Wait for its end, or end it: sluice cancel ' || p_id || '.';
end
$$;

-- redrive: sends a failed, cancelled or expired task back, with the same id, as if it were new:
-- attempts from 0, behind the tasks that wait already. Its outcome is kept in sluice.attempts, kind
-- redriven. A deadline that has passed is dropped; a run_at to come still counts.
-- Params:  id: of the task.
-- Returns: the task's id.
-- Errors:  SL001 its model or route no longer exists; SL004 solved, unfinished or forgotten; SL006
--          no such task among the caller's tenants'.
create or replace function sluice.redrive(id bigint, p_now timestamptz default null) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_task record;
begin
  -- its range must not be dropped now
  perform pg_advisory_xact_lock_shared(sluice.lock_class('retain'), 1);
  if sluice.require_finished(redrive.id) = 'solved' then
    raise exception 'task % is solved', redrive.id using errcode = 'SL004',
      hint = 'Submit a new task to ask again.';
  end if;
  select t.forgotten_at, t.model, t.route into v_task from sluice.task t where t.id = redrive.id;
  if v_task.forgotten_at is not null then
    raise exception 'the texts of task % were erased', redrive.id using errcode = 'SL004',
      hint = 'Submit a new task.';
  elsif not sluice.is_served(v_task.model, v_task.route) then
    raise exception 'the model or route of task % is no more', redrive.id using errcode = 'SL001',
      hint = 'Submit a new task for another model.';
  end if;
  perform sluice.redrive_tasks(array[redrive.id], sluice.now_for(p_now));
  perform sluice.note_command('redrive', redrive.id::text);
  return redrive.id;
end
$$;

-- redrive_tasks: moves each result to attempt, and its task to its line or to sluice.later: there
-- also, if the line may have to be made (D-403). The attempt keeps which transaction stored the
-- result: the history counts the end if it has not yet.
-- Requires the results' row locks and lock_class('retain') 1, shared. Returns how many it moved.
create or replace function sluice.redrive_tasks(p_ids bigint[], p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_ready sluice.later[];
  v_later int[];  -- the lines of those in sluice.later
  v_moved int;
  v_deferred boolean := sluice.waits_for_commit(cardinality(p_ids));
begin
  -- As a submit does: none of the models is deleted under this transaction.
  perform sluice.hold_line(m.model)
  from (select distinct t.model from sluice.task t where t.id = any (p_ids) and t.model is not null
    order by 1) m;
  with gone as (
    delete from sluice.result r where r.task_id = any (p_ids) and r.status <> 'solved'
    returning r.*, r.xmin as row_xmin),
  noted as (
    insert into sluice.attempt (task_id, worker, started_at, ended_at, fence, input_tokens,
      output_tokens, http_status, kind, model, error_code, error, answer, response, redriven_at,
      stored_by, cached_tokens, cache_write_tokens, reasoning_tokens, cost)
    select g.task_id, g.worker, g.started_at, g.finished_at, g.fence, g.input_tokens,
      g.output_tokens, g.http_status,
      'redriven', g.model, g.error_code, g.error, g.answer, g.response, p_now,
      coalesce(g.stored_by, (select sluice.next_xid()) - age(g.row_xmin)), g.cached_tokens,
      g.cache_write_tokens, g.reasoning_tokens, g.cost
    from gone g),
  back as materialized (
    select row(t.id, greatest(p_now, t.run_at), case when t.deadline > p_now then t.deadline end,
        t.model, octet_length(coalesce(t.prompt, t.request)), g.fence, -t.priority, 0, t.route,
        t.tenant)::sluice.later as row,
      v_deferred or coalesce(t.run_at > p_now, false)
        or (t.route is not null and t.affinity_key is not null)
        or sluice.line_of(t.model, t.route, t.api, t.schema_version, null) is null as is_later
    from gone g cross join lateral (
      select t.* from sluice.task t where t.id = g.task_id limit 1) t),
  deferred as (
    insert into sluice.later select (b.row).* from back b where b.is_later)
  select array_agg(b.row) filter (where not b.is_later),
    array_agg(distinct coalesce((b.row).model, (sluice.lines_of_route((b.row).route))[1]))
      filter (where b.is_later), count(*)
  into v_ready, v_later, v_moved from back b;
  -- A cancellation that came too late for the outcome is not meant for what comes now.
  delete from sluice.cancellation c where c.task_id = any (p_ids);
  perform sluice.put_back(v_ready, p_now), sluice.note_unfinished(p_ids);
  perform sluice.notify_ready(l) from unnest(v_later) l  -- who sleeps may sleep for longer
  where l is not null;
  return v_moved;
end
$$;
