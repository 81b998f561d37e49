-- bulk_part: a part of cancel_all, redrive_all or forget_all, which ends between two pages when the clock reads p_stop. The audit has each
-- that did something, and the first; a forget is called again until it does nothing.
-- Params:  p_action: cancel, redrive or forget; p_from: null, or what the part before gave as next.
-- Returns: done: how many; next: null at the end. Errors: of check_filter.
create or replace function sluice.bulk_part(
  p_action text, p_filter sluice.task_filter, p_from jsonb, p_stop timestamptz, p_now timestamptz, out done bigint, out next jsonb)
language plpgsql volatile
as $$
begin
  perform sluice.check_filter(p_filter, p_action || '_all', p_action = 'redrive');
  case p_action
    when 'cancel' then select * into done, next from sluice.cancel_some(p_filter, p_from, p_stop, p_now);
    when 'redrive' then select * into done, next from sluice.redrive_some(p_filter, p_from, p_stop, p_now);
    when 'forget' then select * into done, next from sluice.forget_some(p_filter, p_from, p_stop, p_now);
  end case;
  if done > 0 or p_from is null and p_action <> 'forget' then
    perform sluice.note_command(p_action || '_all', p_filter.name, to_jsonb(p_filter) - '{name,model,route}'::text[]
      || jsonb_build_object(case p_action when 'cancel' then 'cancelled' when 'redrive' then 'redriven' else 'forgotten' end, done), p_now);
  end if;
end
$$;

-- bulk_step: a step of a bulk request over HTTP: cancel_all, redrive_all or forget_all, as far as it comes in 300 ms and the page that it
-- is at then (some 0.1 s). Each in a transaction of its own, so that others have their turns between two.
-- Params:  p_action: cancel, redrive or forget; p_tenant: the key's, if it has one; p_conditions: the body: columns of
--          sluice.conditions or, of a redrive, failed_conditions; p_from: null, or what the step before gave as next.
-- Returns: {"done": how many in this step, "next": null at the end}.
-- Errors:  of those functions; of read_record, what p_conditions cannot be; 55P03 a task is locked, by somebody's open transaction.
create or replace function sluice.bulk_step(
  p_action text, p_tenant text, p_conditions jsonb, p_from jsonb default null, p_now timestamptz default null) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '1s'  -- all others' bulk requests wait behind it
as $$
declare
  v_step record := sluice.bulk_part(p_action, sluice.bulk_filter(p_action, p_tenant, p_conditions), p_from,
    clock_timestamp() + interval '300 ms', sluice.now_for(p_now));
begin
  return jsonb_build_object('done', v_step.done, 'next', v_step.next);
end
$$;

-- bulk_filter: what p_conditions mean; see bulk_step. All that one tenant has, or anybody, is what ended, or was submitted, before the
-- end of time.
create or replace function sluice.bulk_filter(p_action text, p_tenant text, p_conditions jsonb) returns sluice.task_filter
language plpgsql volatile
as $$
declare
  c sluice.failed_conditions;
begin
  if p_action = 'redrive' then
    c := sluice.read_record(null::sluice.failed_conditions, p_conditions);
  else
    c := jsonb_populate_record(null::sluice.failed_conditions, to_jsonb(sluice.read_record(null::sluice.conditions, p_conditions)));
  end if;
  return sluice.task_filter_of(c.model, coalesce(p_tenant, c.tenant), c.metadata, c.batch_id, c.since,
    coalesce(c.until, case when c.everything then timestamptz 'infinity' end), c.error_like, c.error_code);
end
$$;
