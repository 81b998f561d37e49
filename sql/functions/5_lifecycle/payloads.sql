-- Payloads of tasks with a version: their check at submit. The payload is the request or, of a task
-- with a prompt, the prompt as a JSON string.

-- check_payload: refuses a payload that is not as the schema of its version says.
-- Params:  p_target: the model or route; p_version: of sluice.payload_schema.
-- Errors:  SL004 no such version of the target; the first place of the payload that is at fault.
create or replace function sluice.check_payload(
  p_target text, p_version text, p_prompt text, p_request text)
returns void
language plpgsql stable
as $$
declare
  v_schema jsonb;
  v_payload jsonb;
  v_fault text;
begin
  select s.schema into v_schema from sluice.payload_schema s
  where s.target = p_target and s.version = p_version;
  if not found then
    raise exception '"%" has no schema version "%"', left(p_target, 200), left(p_version, 100)
      using errcode = 'SL004', column = 'schema_version',
        hint = coalesce((select 'It has ' || string_agg(s.version, ', ' order by s.version)
          from sluice.payload_schema s where s.target = p_target), 'It has none')
          || ': see sluice.payload_schema.';
  elsif v_schema is null then
    return;
  end if;
  begin
    v_payload := case when p_request is null then to_jsonb(p_prompt) else p_request::jsonb end;
  exception when data_exception or statement_too_complex then
    v_fault := '$ cannot be read as JSON that PostgreSQL stores';
  end;
  if v_fault is null then
    v_fault := (sluice.schema_fault(v_schema, v_payload, '$', sluice.schema_steps_max())).fault;
  end if;
  if v_fault is not null then
    raise exception 'the payload is not of schema version "%": %', p_version, left(v_fault, 500)
      using errcode = 'SL004', column = case when p_request is null then 'prompt'
        else 'request' end,
        hint = 'sluice.payload_schema has the schema; a place is a JSON path.';
  end if;
end
$$;

-- check_payloads: check_payload for drafts, with the number of the first at fault in front. One
-- that repeats an earlier task is not checked again.
create or replace function sluice.check_payloads(p_drafts sluice.draft[]) returns void
language plpgsql stable
as $$
declare
  v_at record;
  v_hint text;
  v_key text;
begin
  for v_at in
    select d.*, d.ordinality as place from unnest(p_drafts) with ordinality d
    where d.schema_version is not null
      and not (d.idempotency_key is not null and sluice.is_bound(d.tenant, d.idempotency_key))
    order by d.ordinality
  loop
    perform sluice.check_payload(coalesce(v_at.model, sluice.default_model()),
      v_at.schema_version, v_at.prompt, v_at.request);
  end loop;
exception when sqlstate 'SL004' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  raise exception 'task %: %', v_at.place, sqlerrm using errcode = 'SL004', column = v_key,
    hint = v_hint;
end
$$;
