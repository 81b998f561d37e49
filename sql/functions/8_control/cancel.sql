-- cancel: ends a waiting task, and has a running one aborted.
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
-- page is at most 1,000 tasks of the caller's tenants, or of the given one, out of 20,000 rows of
-- all. Each place has the tenant, so other tenants' tasks are not read (beside 800,000 of them it
-- took 4 s).
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
  v_queues text[] := array(select 'queue_' || sluice.line_name(l) from unnest(sluice.all_lines()) l
    where p_filter.name is null or l = p_filter.model
      or l = any (sluice.lines_of_route(p_filter.route))
      or p_filter.route is not null and l > 0 order by l);
  v_places text[] := array['lease'] || v_queues || array['later'] || v_queues || array['lease'];
  v_scope record := sluice.caller_scope();
  v_page bigint[];
  v_last bigint;
  v_ids bigint[];
begin
  if p_from is not null then
    v_places := array(select e.place
      from jsonb_array_elements_text(p_from -> 'places') with ordinality e (place, n)
      where to_regclass(format('sluice.%I', e.place)) is not null order by e.n);
  end if;
  done := 0;
  while v_places <> '{}' loop
    execute format($sql$
      with page as materialized (
        select task_id, tenant, model from sluice.%I where task_id > $1 and task_id <= $2
        order by task_id limit 20000),
      meant as (
        select task_id from page where ($3 is null or model = $3) and (tenant = any ($4)) = $5
          and ($6 is null or tenant = $6)
        order by task_id limit 1000)
      select array_agg(task_id), case when count(*) = 1000 then max(task_id)
        else (select max(task_id) from page) end from meant
      $sql$, v_places[1])
    into v_page, v_last using v_after, v_until, p_filter.model, v_scope.tenants, v_scope.bound,
      p_filter.tenant;
    v_ids := array(select t.id from sluice.task t
      where t.id = any (v_page) and (p_filter.route is null or t.route = p_filter.route)
        and sluice.is_meant(p_filter, t, t.created_at)
        and not exists (select from sluice.cancellation c where c.task_id = t.id));
    done := done + case when v_ids = '{}' then 0
      when v_places[1] = 'lease' then (select count(*) from sluice.task t
        where t.id = any (v_ids)
          and sluice.cancel_found(t.id, t.model, t.route, p_now) in ('processing', 'cancelled'))
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
