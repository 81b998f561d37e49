-- cancel: ends a task that waits, and has one aborted that is being called.
-- Params:  id: of the task.
-- Returns: the status afterwards: cancelled, processing (its worker is told at once, and ends the
--          call as cancelled unless that ends first), or the final one found.
-- Errors:  SL006 no such task among the caller's tenants'.
create or replace function sluice.cancel(id bigint, p_now timestamptz default null) returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
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

-- cancel_in_place: cancels those of tasks p_ids that are in one place, unless they were cancelled
-- before.
-- Returns: how many it ended or asked to be aborted.
create or replace function sluice.cancel_in_place(
  p_place text, p_ids bigint[], p_now timestamptz)
returns bigint
language plpgsql volatile
as $$
begin
  p_ids := array(select i from unnest(p_ids) i
    where (select c.task_id from sluice.cancellation c where c.task_id = i limit 1) is null);
  return case when p_ids = '{}' then 0
    when p_place = 'lease' then (select count(*) from sluice.task t
      where t.id = any (p_ids)
        and sluice.cancel_found(t.id, t.model, t.route, p_now) in ('processing', 'cancelled'))
    else sluice.end_waiting(p_place, p_ids, 'cancelled', p_now) end;
end
$$;
