-- Reading the JSON of submit_many: a draft for each task, checked before anything is stored.

-- draft_of: an element of submit_many with submit's defaults in place of nulls. Only the default
-- model is not filled in: whether there is one matters to new tasks only.
create or replace function sluice.draft_of(p_draft sluice.task_draft) returns sluice.task_draft
language sql immutable
as $$
  select row(p_draft.prompt, p_draft.model, coalesce(p_draft.priority, 0),
    coalesce(p_draft.tenant, 'default'),
    p_draft.run_at, p_draft.deadline, p_draft.idempotency_key, p_draft.max_attempts,
      p_draft.request, p_draft.max_output_tokens, p_draft.metadata, p_draft.batch_id,
      p_draft.traceparent, p_draft.schema_version, p_draft.affinity_key)::sluice.task_draft
$$;

-- read_drafts: the elements of submit_many, typed and checked. Unknown keys are found by removing
-- the known ones, which costs half as much as listing all keys; doing it in one pass with the
-- reading would cost more. A prompt must be a text: the number 42 would become "42".
-- Errors:  as submit_many; for the first element at fault, with its number in front.
create or replace function sluice.read_drafts(p_tasks jsonb, p_now timestamptz)
returns sluice.task_draft[]
language plpgsql volatile
as $$
declare
  c_known constant text[] := '{prompt, model, priority, tenant, run_at, deadline, idempotency_key,
    max_attempts, request, max_output_tokens, metadata, batch_id, traceparent, schema_version,
    affinity_key}';
  v_drafts sluice.task_draft[];
  v_versioned boolean;
begin
  if jsonb_typeof(p_tasks) is distinct from 'array' then
    raise exception 'tasks is a JSON %, not an array', coalesce(jsonb_typeof(p_tasks), 'null')
      using errcode = 'SL004',
      hint = 'Pass an array of objects with the same keys as the arguments of sluice.submit.';
  end if;
  begin
    if not exists (select from jsonb_array_elements(p_tasks) item
                   where item - c_known <> '{}'
                     or jsonb_typeof(item -> 'prompt') not in ('string', 'null')) then
      select coalesce(array_agg(sluice.draft_of(d)), '{}'), bool_or(d.schema_version is not null)
      into v_drafts, v_versioned
      from jsonb_populate_recordset(null::sluice.task_draft, p_tasks) d;
    end if;
  exception when data_exception then
    null;  -- which one was it?
  end;
  if v_drafts is null then
    perform sluice.refuse_invalid_draft(p_tasks, c_known, p_now);
  end if;
  perform sluice.check_drafts(v_drafts, false, p_now);
  if v_versioned then
    perform sluice.check_payloads(v_drafts);
  end if;
  return v_drafts;
end
$$;

-- refuse_invalid_draft: raises the error of the first of p_tasks that cannot be read as a draft.
-- Errors:  as read_drafts.
create or replace function sluice.refuse_invalid_draft(
  p_tasks jsonb, p_known text[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_place int := 0;
  v_task jsonb;
  v_draft sluice.task_draft;
  v_hint text;
  v_key text;
begin
  begin
    for v_task in select t from jsonb_array_elements(p_tasks) t loop
      v_place := v_place + 1;
      exit when v_task - p_known <> '{}'
        or jsonb_typeof(v_task -> 'prompt') not in ('string', 'null');
      v_draft := jsonb_populate_record(null::sluice.task_draft, v_task);
    end loop;
  exception when data_exception then
    null;  -- it is this one
  end;
  perform sluice.check_element(v_task, p_known);
exception when sqlstate 'SL004' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  if v_place > 1 then
    perform sluice.read_drafts(jsonb_path_query_array(p_tasks, 'strict $[0 to $last]',
      jsonb_build_object('last', v_place - 2)), p_now);
  end if;
  raise exception 'task %: %', v_place, sqlerrm using errcode = 'SL004', column = v_key,
    hint = v_hint;
end
$$;

-- check_element: SL004 unless an element of submit_many is an object whose keys are among p_known
-- and whose values are of the arguments' types.
create or replace function sluice.check_element(p_task jsonb, p_known text[]) returns void
language plpgsql volatile
as $$
begin
  perform sluice.check_columns(p_task, p_known);
  if jsonb_typeof(p_task -> 'prompt') not in ('string', 'null') then
    raise exception 'prompt is a JSON %, not a string', jsonb_typeof(p_task -> 'prompt')
      using errcode = 'SL004', column = 'prompt',
      hint = 'prompt is plain text for the model; request is a verbatim JSON body.';
  end if;
  perform jsonb_populate_record(null::sluice.task_draft, p_task);
exception when data_exception then
  perform sluice.check_types('task_draft', p_task);
  raise exception '%', sqlerrm using errcode = 'SL004',
    hint = 'Its values are of the types of sluice.submit''s arguments.';
end
$$;

-- check_drafts: raises the error of the first task at fault, with its number in front. Only tasks
-- that may be at fault are checked one by one, because a call of check_task costs 15 us. A task
-- that repeats an earlier one is not held against its tenant's present limits nor, if it names no
-- model, against the present default.
-- Params:  p_cut: the requests were cut out of valid JSON, so that they need not be parsed to check
--          that: 15 us for 4 KB.
-- Errors:  as submit.
create or replace function sluice.check_drafts(
  p_drafts sluice.task_draft[], p_cut boolean, p_now timestamptz)
returns void
language plpgsql volatile
-- else one that is nearly never executed is planned at each call, 0.2 ms
set plan_cache_mode = force_generic_plan
as $$
declare
  v_rules record;
  v_at record;
  v sluice.task_draft;
  v_name text;
  v_hint text;
  v_key text;
begin
  select s.default_model, s.request_bytes_max, sluice.are_limited() as limited, sluice.is_guarded()
    or sluice.are_limited() as personal,
    exists (select from sluice.models where tpm is not null)
      or exists (select from sluice.tenants where tpm is not null) as metered
  into v_rules from sluice.settings s;
  -- The first of each model or route, and where tenants have rules the first of a tenant's model or
  -- route, and of its priority; not of all three together, which may be as many as there are tasks.
  -- A repeat is apart.
  for v_at in
    select p.place, k.checked and p.place = k.first as first, p.place > k.first
      or p.place = k.doubted[1] as doubted, k.bound
    from (
      select k.first, k.bound, k.doubted, k.first in (min(k.first) over (partition by k.model,
        k.is_prompt, k.tenant, k.bound),
          min(k.first) over (partition by k.tenant, k.priority, k.bound)) as checked
      from (
        select min(d.ordinality) as first, d.model, d.request is null as is_prompt,
          case when v_rules.personal then d.tenant end as tenant,
          case when v_rules.personal then d.priority end as priority, d.bound,
            array_agg(d.ordinality) filter (
          where v_rules.metered or d.request is not null and (not p_cut
              or v_rules.limited and sluice.model_list_key(d.request) is not null)
            or length(d.affinity_key) not between 1 and 200
            or d.deadline <= d.run_at
            or sluice.fault(d.prompt, d.request, d.priority, d.max_attempts,
            d.max_output_tokens, d.metadata, d.tenant, d.idempotency_key, d.traceparent, d.deadline,
              v_rules.request_bytes_max, p_now)
            is not null) as doubted
        from (
          select d.*, (d.model is null or v_rules.limited)
            and sluice.is_bound(d.tenant, d.idempotency_key) as bound
          from unnest(p_drafts) with ordinality d) d
        group by 2, 3, 4, 5, d.bound) k) k
    cross join lateral unnest(case when not k.checked or k.first = k.doubted[1] then k.doubted
      else k.first || k.doubted end) p(place)
    order by p.place
  loop
    -- here, not in the query: there each field is looked for from the array's beginning
    v := p_drafts[v_at.place];
    v_name := coalesce(v.model, v_rules.default_model);
    if v_at.doubted then
      perform sluice.check_affinity_key(v.affinity_key), sluice.check_times(v.run_at, v.deadline,
        v.tenant, v.idempotency_key);
      perform sluice.check_task(v.prompt, v.request, v.priority, v.max_attempts,
        v.max_output_tokens, v.metadata, v.tenant,
        v.idempotency_key, v.traceparent, v.deadline, v_rules.request_bytes_max, p_now);
    end if;
    if v_at.first then
      perform sluice.require_tenant(v.tenant);
      perform sluice.refuse_excess(v.tenant, v.priority, v_name) from sluice.limits_of(v.tenant) l
      where v_rules.limited and not v_at.bound and sluice.exceeds(l, v.priority, v_name);
      perform sluice.target(v_name, v.request is not null) where v.model is not null
        or not v_at.bound;
    end if;
    if v_at.doubted and v_rules.limited and not v_at.bound and v.request is not null then
      perform sluice.refuse_model_list(v.tenant, l, v.request) from sluice.limits_of(v.tenant) l;
    end if;
    if v_rules.metered and (v.model is not null or not v_at.bound) then
      perform sluice.check_fits(v_name, v.tenant, octet_length(coalesce(v.prompt, v.request)),
        v.max_output_tokens);
    end if;
  end loop;
exception when sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007'
  or sqlstate 'SL009' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  raise exception 'task %: %', v_at.place, sqlerrm using errcode = sqlstate, column = v_key,
    hint = v_hint;
end
$$;
