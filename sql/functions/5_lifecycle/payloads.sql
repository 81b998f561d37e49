-- Payloads of tasks with a version: their check at submit. The payload is the request or, of a task
-- with a prompt, the prompt as a JSON string.

-- payload_steps_max: how many steps the payloads of one call may take together: 0.2 to 0.6 s. Each
-- alone may take schema_steps_max, and the HTTP front makes one call for arrays of tasks at a time:
-- whoever sends another waits for it.
create or replace function sluice.payload_steps_max() returns int
language sql immutable parallel safe
as $$ select 20000 $$;

-- check_payload: refuses a payload that is not as the schema of its version says.
-- Params:  p_target: the model or route; p_version: of sluice.payload_schema; p_steps: how many
--          steps the call has left.
-- Returns: how many it has left now.
-- Errors:  SL004 no such version of the target; the first place of the payload that is at fault;
--          the call has no steps left.
create or replace function sluice.check_payload(
  p_target text, p_version text, p_prompt text, p_request text, p_steps int)
returns int
language plpgsql stable
as $$
declare
  v_most int := least(p_steps, sluice.schema_steps_max());
  v_check record;
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
    return p_steps;
  end if;
  begin
    v_payload := case when p_request is null then to_jsonb(p_prompt) else p_request::jsonb end;
  exception when data_exception or statement_too_complex then
    v_fault := '$ cannot be read as JSON that PostgreSQL stores';
  end;
  if v_fault is null then
    v_check := sluice.schema_fault(v_schema, v_payload, '$', v_most);
    if v_check.steps < 0 and v_most < sluice.schema_steps_max() then
      raise exception 'the payloads of one call take more than % steps to check',
        sluice.payload_steps_max() using errcode = 'SL004', column = 'schema_version',
        hint = format('Submit them in smaller arrays: a payload takes %s steps at most, one for '
          'each of its values.', sluice.schema_steps_max());
    end if;
    v_fault := v_check.fault;
  end if;
  if v_fault is not null then
    raise exception 'the payload is not of schema version "%": %', p_version, left(v_fault, 500)
      using errcode = 'SL004', column = case when p_request is null then 'prompt'
        else 'request' end,
        hint = 'sluice.payload_schema has the schema; a place is a JSON path.';
  end if;
  return p_steps - coalesce(v_most - v_check.steps, 0);
end
$$;

-- check_payloads: check_payload for drafts, with the number of one at fault in front: the first of
-- its version. One that repeats an earlier task is not checked again. All together have p_steps
-- steps. Version by version, for a session keeps 32 compiled patterns, of two versions.
create or replace function sluice.check_payloads(
  p_drafts sluice.task_draft[], p_steps int default sluice.payload_steps_max())
returns void
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
    order by d.model, d.schema_version, d.ordinality
  loop
    p_steps := sluice.check_payload(coalesce(v_at.model, sluice.default_model()),
      v_at.schema_version, v_at.prompt, v_at.request, p_steps);
  end loop;
exception when sqlstate 'SL004' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  raise exception 'task %: %', v_at.place, sqlerrm using errcode = 'SL004', column = v_key,
    hint = v_hint;
end
$$;
