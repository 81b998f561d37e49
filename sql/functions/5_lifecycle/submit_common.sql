-- What submit and submit_many have in common: idempotency keys, and tasks that wait for their
-- commit.

-- keep_key: binds an idempotency key to a task id, unless it is bound already.
-- Returns: p_task_id if the key is new, else the id it was bound to with the same content.
-- Params:  p_element: its number in a submit_many, for the message.
-- Errors:  SL008 bound to other content. Waits for an open first submit of the same key.
create or replace function sluice.keep_key(
  p_tenant text, p_key text, p_content bytea, p_task_id bigint, p_element bigint default null)
returns bigint
language plpgsql volatile
as $$
declare
  v_key bytea := sha256(convert_to(p_key, 'UTF8'));
  v_bound sluice.idempotency;
begin
  loop
    insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
    values (p_tenant, v_key, p_task_id, p_content) on conflict do nothing;
    if found then
      return p_task_id;
    end if;
    select * into v_bound from sluice.idempotency where tenant = p_tenant and key_sha256 = v_key;
    exit when sluice.task_is_kept(v_bound.task_id);
    -- Retention took the task, and its key is to follow (8_control/retention.sql).
    delete from sluice.idempotency where tenant = p_tenant and key_sha256 = v_key
      and task_id = v_bound.task_id;
  end loop;
  if v_bound.content_sha256 <> p_content then
    raise exception '%idempotency key already used by task % with other content',
      coalesce('task ' || p_element || ': ', ''), v_bound.task_id
      using errcode = 'SL008', column = 'idempotency_key', hint = 'Use a new key for a new task.';
  end if;
  return v_bound.task_id;
end
$$;

-- content_sha256: a hash of what two submits with the same idempotency key must have in common.
-- p_target: the model or route as named, null if none was: the default may change before the
-- repeat.
create or replace function sluice.content_sha256(
  p_target text, p_prompt text, p_request text, p_max_output_tokens int,
  p_schema_version text)
returns bytea
language sql immutable
as $$
  select sha256(convert_to(
    (jsonb_build_array(p_target, p_prompt, p_request, p_max_output_tokens)
      || case when p_schema_version is null then '[]' else to_jsonb(p_schema_version) end)::text,
    'UTF8'))
$$;

-- burst_time_max: how long after its beginning a transaction may put tasks into a line, where
-- submitters are bound to tenants.
create or replace function sluice.burst_time_max() returns interval
language sql immutable parallel safe
as $$ select sluice.mark_lag() $$;

-- waits_for_commit: whether p_count tasks that are submitted now wait in sluice.later until they
-- are committed, although they are ready. In a line each claim would scan the rows of an open
-- transaction, only to find that it cannot see them (0.2 us each; three million rows cost every
-- model 0.6 s a claim). So where submitters are bound to tenants, a transaction puts into a line
-- only what it can insert within the marks' lag, and a call 10,000 at most.
create or replace function sluice.waits_for_commit(p_count int) returns boolean
language plpgsql stable
as $$
begin
  return (p_count > 10000 or clock_timestamp() > now() + sluice.burst_time_max())
    and sluice.is_guarded();
end
$$;
