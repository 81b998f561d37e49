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
  v_now timestamptz := sluice.now_for(p_now);
  v_stop timestamptz := clock_timestamp() + interval '300 ms';
  v_filter sluice.task_filter := sluice.bulk_filter(p_action, p_tenant, p_conditions);
  v_step record;
  v_counted text;
begin
  perform sluice.check_filter(v_filter, p_action || '_all', p_action = 'redrive');
  if p_action = 'cancel' then
    v_counted := 'cancelled';
    v_step := sluice.cancel_some(v_filter, p_from, v_stop, v_now);
  elsif p_action = 'redrive' then
    v_counted := 'redriven';
    v_step := sluice.redrive_some(v_filter, p_from, v_stop, v_now);
  else
    v_counted := 'forgotten';
    v_step := sluice.forget_some(v_filter, p_from, v_stop, v_now);
  end if;
  if v_step.done > 0 or (p_from is null and p_action <> 'forget') then
    perform sluice.note_bulk(p_action || '_all', v_filter, v_counted, v_step.done, v_now);
  end if;
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
