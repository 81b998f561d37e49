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

-- cancel_some: a part of cancel_all, which ends between two pages when the clock reaches p_stop. A
-- page is at most 1,000 tasks out of 20 times as many rows.
-- Params:  p_from: null, or next of the part before.
-- Returns: done: how many tasks it ended or asked to be aborted; next: null at the end.
-- It goes through the leases first and last, and through the lines before and after sluice.later:
-- whichever way a task moves meanwhile, it comes to a place that is yet to be searched. A line that
-- was deleted has no tasks.
create or replace function sluice.cancel_some(
  p_filter sluice.task_filter, p_from jsonb, p_stop timestamptz, p_now timestamptz, out done bigint,
  out next jsonb)
language plpgsql volatile
as $$
declare
  v_until bigint := coalesce((p_from ->> 'until')::bigint, (select last_value from sluice.task_id));
  v_after bigint := coalesce((p_from ->> 'after')::bigint, 0);
  v_places text[] := array['lease'] || array_remove(sluice.unfinished_places(p_filter), 'lease')
    || sluice.unfinished_places(p_filter);
  v_page record;
begin
  if p_from is not null then
    v_places := array(select e.place
      from jsonb_array_elements_text(p_from -> 'places') with ordinality e (place, n)
      where to_regclass(format('sluice.%I', e.place)) is not null order by e.n);
  end if;
  done := 0;
  while v_places <> '{}' loop
    v_page := sluice.meant_page(v_places[1], p_filter, false, v_after, v_until, 20000,
      1000);
    done := done + sluice.cancel_in_place(v_places[1], v_page.ids, p_now);
    v_after := coalesce(v_page.last, 0);
    if v_page.last is null then
      v_places := v_places[2:];
    end if;
    exit when clock_timestamp() >= p_stop;
  end loop;
  if v_places <> '{}' then
    next := jsonb_build_object('places', v_places, 'after', v_after, 'until', v_until);
  end if;
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
