-- Cancel, redrive and forget for all tasks that meet some conditions: at once in SQL, in steps over
-- HTTP.

-- cancel_all: cancels every unfinished task that meets all the given conditions; at least one must
-- be given.
-- Params:  model: a model's name (tasks that named it, or whose call to it is under way) or a
--          route's (all its tasks); tenant: of this tenant; metadata: contained in the task's;
--          batch_id: of this batch; since: submitted from then on; until: submitted before then.
-- Returns: how many tasks it ended or, if a worker has them, marked for abortion. Tasks submitted
--          meanwhile stay, and so do tasks of tenants that the caller may not act for.
-- Errors:  SL001 unknown model or route; SL004 no condition at all; SL009 not this caller's tenant.
--
-- A task that waits for a route belongs to no model yet: cancelling the tasks of one of its models
-- does not end it.
create or replace function sluice.cancel_all(
  model text default null, tenant text default null, metadata jsonb default null,
  batch_id bigint default null, since timestamptz default null, until timestamptz default null,
  p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return (sluice.bulk_part('cancel', sluice.task_filter_of(cancel_all.model, cancel_all.tenant,
    cancel_all.metadata, cancel_all.batch_id, cancel_all.since, cancel_all.until),
    null, 'infinity', sluice.now_for(p_now))).done;
end
$$;

-- redrive_all: redrives dead letters: the failed tasks that meet all the given conditions, without
-- any: all. Cancelled and expired tasks stay so, and so do forgotten tasks, tasks whose model or
-- route no longer exists, and tasks of tenants that the caller may not act for.
-- Params:  model: named this model or route, or failed at this model; error_like: whose error text
--          is LIKE this pattern; tenant: of this tenant; since: failed from then on; until: failed
--          before then; error_code: with this code; metadata: contained in the task's; batch_id: of
--          this batch.
-- Returns: how many.
-- Errors:  SL001 unknown model or route; SL004 metadata that is too large; SL009 not this caller's
--          tenant.
--
-- In pages of 1,000.
create or replace function sluice.redrive_all(
  model text default null, error_like text default null, tenant text default null,
  since timestamptz default null,
  until timestamptz default null, error_code text default null, metadata jsonb default null,
    batch_id bigint default null, p_now timestamptz default null) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return (sluice.bulk_part('redrive',
      sluice.task_filter_of(redrive_all.model, redrive_all.tenant, redrive_all.metadata,
    redrive_all.batch_id, redrive_all.since, redrive_all.until, redrive_all.error_like,
      redrive_all.error_code),
    null, 'infinity', sluice.now_for(p_now))).done;
end
$$;

-- forget_all: erases the texts of finished tasks that meet all the given conditions, at most 10,000
-- a call. At least one must be given; until => now() is all. Call it again, in the same session and
-- each time in a transaction of its own, until it returns 0.
-- Params:  model: a model's name (tasks that named it or ended at it) or a route's; tenant: of this
--          tenant; metadata: contained in the task's; batch_id: of this batch; since: finished from
--          then on; until: finished before then.
-- Returns: how many tasks this step erased. Unfinished tasks stay, and so do tasks of tenants that
--          the caller may not act for.
-- Errors:  SL001 unknown model or route (tasks of a deleted model are reached by the other
--          conditions); SL004 no condition at all; SL009 not this caller's tenant.
--
-- Each step erases the oldest forget_step() tasks that are left. A repeat goes on where this
-- session's last step with the same conditions ended (sluice.forget_from; until is not compared,
-- because it moves with now()): from the lowest id it would walk over all forgotten tasks. Only a
-- walk from the first to the last returns 0. All steps together read each result twice (with
-- 400,000 a step takes 0.2 to 0.3 s, the last 2; from the lowest id each would take up to 2). In
-- another session a step is only slower.
create or replace function sluice.forget_all(
  model text default null, tenant text default null, metadata jsonb default null,
  batch_id bigint default null, since timestamptz default null, until timestamptz default null,
  p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_filter sluice.task_filter := sluice.task_filter_of(forget_all.model, forget_all.tenant,
    forget_all.metadata, forget_all.batch_id, forget_all.since, forget_all.until);
  v_conditions text := md5((to_jsonb(v_filter) - 'until')::text) || ' ';
  v_after bigint := substring(current_setting('sluice.forget_from', true)
    from '^' || v_conditions || '([0-9]{1,18})$');
  v_step record := sluice.bulk_part('forget', v_filter, jsonb_build_object('after', v_after),
    'infinity', v_now);
begin
  if v_step.done = 0 and v_after > 0 then  -- what ended behind it meanwhile
    v_step := sluice.bulk_part('forget', v_filter, null, 'infinity', v_now);
  end if;
  perform set_config('sluice.forget_from',
    coalesce(v_conditions || (v_step.next ->> 'after'), ''), false);
  return v_step.done;
end
$$;

-- bulk_part: a part of cancel_all, redrive_all or forget_all, which ends between two pages when the
-- clock reaches p_stop, a forget also after forget_step() tasks. The audit gets a row for the first
-- part and for each that changed something; a forget is called again until it changes nothing.
-- Params:  p_action: cancel, redrive or forget; p_from: null, or next of the part before.
-- Returns: done: how many; next: null at the end.
-- Errors:  as check_filter.
-- A cancel goes through the leases first and last, and through the lines before and after
-- sluice.later: whichever way a task moves meanwhile, it comes to a place that is yet to be
-- searched. A line that was deleted has no tasks.
create or replace function sluice.bulk_part(
  p_action text, p_filter sluice.task_filter, p_from jsonb, p_stop timestamptz, p_now timestamptz,
  out done bigint, out next jsonb)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_filter sluice.task_filter := p_filter;
  v_places text[] := array['result'];
  v_page record;
begin
  perform sluice.check_filter(p_filter, p_action || '_all', p_action = 'redrive');
  case p_action
    when 'cancel' then
      v_places := sluice.unfinished_places(p_filter);
      v_places := array['lease'] || array_remove(v_places, 'lease') || v_places;
    when 'redrive' then
      perform pg_advisory_xact_lock_shared(sluice.lock_class('retain'), 1);
      v_filter.status := 'failed';
    else null;
  end case;
  next := jsonb_build_object('places', v_places, 'after', 0, 'until',
    (select last_value from sluice.task_id)) || coalesce(jsonb_strip_nulls(p_from), '{}');
  done := 0;
  loop
    v_page := sluice.next_page(v_filter, p_action = 'redrive', next, case p_action when 'forget'
      then sluice.forget_step() - done::int else 1000 end);
    case p_action
      when 'cancel' then
        done := done + sluice.cancel_in_place(v_page.place, v_page.ids, p_now);
      when 'redrive' then
        perform sluice.redrive_tasks(v_page.ids, p_now) where v_page.ids <> '{}';
        done := done + cardinality(v_page.ids);
      else
        perform sluice.forget_texts(v_page.ids, p_now) where v_page.ids <> '{}';
        done := done + cardinality(v_page.ids);
    end case;
    next := v_page.next;
    exit when next is null or p_action = 'forget' and done = sluice.forget_step()
      or clock_timestamp() >= p_stop;
  end loop;
  if done > 0 or p_from is null and p_action <> 'forget' then
    perform sluice.note_command(p_action || '_all', p_filter.name,
      to_jsonb(p_filter) - '{name,model,route,is_bound,tenants}'::text[]
      || jsonb_build_object(case p_action when 'cancel' then 'cancelled' when 'redrive'
        then 'redriven' else 'forgotten' end, done));
  end if;
end
$$;

-- bulk_step: a step of a bulk request over HTTP: cancel_all, redrive_all or forget_all for 300 ms
-- and until the end of the current page (some 0.1 s). Each step is a transaction of its own, so
-- that others have their turns in between.
-- Params:  p_action: cancel, redrive or forget; p_tenant: the key's, if it has one; p_conditions:
--          the body: columns of sluice.conditions or, for a redrive, failed_conditions; p_from:
--          null, or next of the step before.
-- Returns: {"done": how many in this step, "next": null at the end}.
-- Errors:  those of the three functions; those of read_record for p_conditions; 55P03 a task is
--          locked by somebody's open transaction.
create or replace function sluice.bulk_step(
  p_action text, p_tenant text, p_conditions jsonb, p_from jsonb default null,
  p_now timestamptz default null)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '1s'  -- all others' bulk requests wait behind it
as $$
declare
  v_step record := sluice.bulk_part(p_action, sluice.bulk_filter(p_action, p_tenant,
    p_conditions), p_from, clock_timestamp() + interval '300 ms', sluice.now_for(p_now));
begin
  return jsonb_build_object('done', v_step.done, 'next', v_step.next);
end
$$;

-- bulk_filter: the filter that p_conditions mean; see bulk_step. Without conditions it means all
-- tasks of the tenant, or of everybody: those that ended, or were submitted, before the end of
-- time.
create or replace function sluice.bulk_filter(p_action text, p_tenant text, p_conditions jsonb)
returns sluice.task_filter
language plpgsql volatile
as $$
declare
  c sluice.failed_conditions;
begin
  if p_action = 'redrive' then
    c := sluice.read_record(null::sluice.failed_conditions, p_conditions);
  else
    c := jsonb_populate_record(null::sluice.failed_conditions,
      to_jsonb(sluice.read_record(null::sluice.conditions, p_conditions)));
  end if;
  perform sluice.refuse_tenant(c.tenant) where c.tenant <> p_tenant;
  return sluice.task_filter_of(c.model, coalesce(p_tenant, c.tenant), c.metadata,
    c.batch_id, c.since, coalesce(c.until, case when c.everything then timestamptz 'infinity' end),
    c.error_like, c.error_code);
end
$$;
