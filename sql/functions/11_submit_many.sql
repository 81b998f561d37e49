-- submit_many: accepts many tasks in one statement; all or none.
-- Stage:   10. The same as sluice.submit for each element, many times faster.
-- Params:  tasks: a JSON array of objects whose keys are submit's argument names.
-- Returns: the ids, in the order of the array.
-- Errors:  as submit, the message beginning with the element's number (from 1) where one is at fault; SL004 also for an
--          unknown key; SL003 and SL005 also when all of them together are too many.
-- Each step below is one statement over all tasks.
create or replace function sluice.submit_many(tasks jsonb, p_now timestamptz default null) returns setof bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := case when p_now is null then clock_timestamp() else sluice.now_for(p_now) end;
begin
  return query select unnest(sluice.submit_drafts(sluice.drafts_of(submit_many.tasks, v_now), v_now));
end
$$;

-- submit_drafts: submit_many for tasks that are typed and checked already. Those without a model get the default's once it is known
-- which of them are new.
create or replace function sluice.submit_drafts(p_drafts sluice.draft[], p_now timestamptz) returns bigint[]
language plpgsql volatile
as $$
declare
  v_count int := cardinality(p_drafts);
  v_ids bigint[];
  v_kept bigint[];
  v_keyed boolean;
  v_unnamed boolean;
begin
  if v_count = 0 then
    return '{}';
  end if;
  v_ids := array(select nextval('sluice.task_id') from generate_series(1, v_count));
  perform sluice.require_range(v_ids[1]), sluice.require_range(v_ids[v_count]);
  select bool_or(d.idempotency_key is not null), bool_or(d.model is null) into v_keyed, v_unnamed from unnest(p_drafts) d;
  v_kept := case when v_keyed then sluice.keep_keys(p_drafts, v_ids) else v_ids end;
  if v_unnamed then
    p_drafts := array(select sluice.draft_of(d, sluice.default_model()) from unnest(p_drafts) d);
  end if;
  perform sluice.place(sluice.store_drafts(p_drafts, v_ids, v_kept, p_now), p_now);
  return v_kept;
end
$$;

-- draft_of: an element of submit_many with submit's defaults filled in; null stands for the default.
-- Params:  p_model: what sluice.default_model() says (null: it is not asked yet).
create or replace function sluice.draft_of(p_draft sluice.draft, p_model text default null) returns sluice.draft
language sql immutable
as $$
  select row(p_draft.prompt, coalesce(p_draft.model, p_model), coalesce(p_draft.priority, 0), coalesce(p_draft.tenant, 'default'),
    p_draft.run_at, p_draft.deadline, p_draft.idempotency_key, p_draft.max_attempts, p_draft.request,
    p_draft.max_output_tokens, p_draft.metadata, p_draft.batch_id, p_draft.traceparent)::sluice.draft
$$;

-- check_keys: SL004 for a key that is no argument of submit, and for a prompt that is no text: 42 would become "42".
-- Whether something is left without the known keys costs half of listing what is there: of a task's 194,000 instructions 5,500.
create or replace function sluice.check_keys(p_tasks jsonb) returns void
language plpgsql stable
as $$
declare
  c_known constant text[] := '{prompt, model, priority, tenant, run_at, deadline, idempotency_key, max_attempts, request,
    max_output_tokens, metadata, batch_id, traceparent}';
  v_unknown text;
begin
  if not exists (
      select from jsonb_array_elements(p_tasks) item
      where item - c_known <> '{}' or jsonb_typeof(item -> 'prompt') not in ('string', 'null')) then
    return;
  end if;
  v_unknown := (
    select min(k.name) from (select distinct jsonb_object_keys(item) as name from jsonb_array_elements(p_tasks) item) k
    where k.name <> all (c_known));
  if v_unknown is not null then
    raise exception 'unknown key "%"', v_unknown using errcode = 'SL004', column = v_unknown,
      hint = 'The keys are ' || (
        select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a where a.attrelid = 'sluice.draft'::regclass) || '.';
  end if;
  raise exception 'prompt is a JSON %, not a string',
    jsonb_path_query_first(p_tasks, '$[*].prompt.type() ? (@ != "string" && @ != "null")') #>> '{}'
    using errcode = 'SL004', column = 'prompt', hint = 'prompt is plain text for the model; request is a verbatim JSON body.';
end
$$;

-- drafts_of: the elements of submit_many, typed and checked. Errors: see submit_many; the element's number is in front.
-- All of them are looked at together; only when something is wrong the first that is at fault is looked for, to say which.
-- (A subtransaction for each cost 74 us a task, a call of check_task for each 15.)
create or replace function sluice.drafts_of(p_tasks jsonb, p_now timestamptz) returns sluice.draft[]
language plpgsql volatile
as $$
declare
  v_place int;
  v_item jsonb;
  v_hint text;
  v_key text;
begin
  if jsonb_typeof(p_tasks) is distinct from 'array' then
    raise exception 'tasks is a JSON %, not an array', coalesce(jsonb_typeof(p_tasks), 'null') using errcode = 'SL004',
      hint = 'Pass an array of objects with the same keys as the arguments of sluice.submit.';
  end if;
  begin
    return sluice.checked_drafts(p_tasks, p_now);
  exception when data_exception or sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007'
    or sqlstate 'SL009' then
    null;  -- which one was it?
  end;
  v_place := sluice.first_misfit(p_tasks, p_now);
  v_item := p_tasks -> v_place;
  begin
    if jsonb_typeof(v_item) <> 'object' then
      raise exception 'it is a JSON %, not an object', jsonb_typeof(v_item) using errcode = 'SL004',
        hint = 'Its keys are the argument names of sluice.submit.';
    end if;
    begin
      perform sluice.checked_drafts(jsonb_build_array(v_item), p_now);
    exception when data_exception then
      perform sluice.name_misfit('draft', v_item);
      raise;
    end;
  exception when data_exception or sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007'
    or sqlstate 'SL009' then
    get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
    v_hint := coalesce(nullif(v_hint, ''), 'Its values are of the types of sluice.submit''s arguments.');
    raise exception 'task %: %', v_place + 1, sqlerrm
      using errcode = case when sqlstate like 'SL%' then sqlstate else 'SL004' end, column = v_key, hint = v_hint;
  end;
  return sluice.checked_drafts(p_tasks, p_now);  -- what was wrong has just been put right
end
$$;

-- first_misfit: the place, from 0, of the first element of p_tasks that is at fault, of which it is known that there is one.
-- By halves: one after the other took 0.45 s of an array of 2,400 tasks.
create or replace function sluice.first_misfit(p_tasks jsonb, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_from int := 0;
  v_to int := jsonb_array_length(p_tasks) - 1;
  v_middle int;
begin
  while v_from < v_to loop
    v_middle := (v_from + v_to) / 2;
    begin
      perform sluice.checked_drafts(
        jsonb_path_query_array(p_tasks, 'strict $[$from to $to]', jsonb_build_object('from', v_from, 'to', v_middle)), p_now);
      v_from := v_middle + 1;
    exception when data_exception or sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007'
      or sqlstate 'SL009' then
      v_to := v_middle;
    end;
  end loop;
  return v_from;
end
$$;

-- checked_drafts: drafts_of without the number of the element that is at fault.
create or replace function sluice.checked_drafts(p_tasks jsonb, p_now timestamptz) returns sluice.draft[]
language plpgsql volatile
as $$
declare
  v_drafts sluice.draft[];
begin
  perform sluice.check_keys(p_tasks);
  v_drafts := array(select sluice.draft_of(d) from jsonb_populate_recordset(null::sluice.draft, p_tasks) d);
  perform sluice.check_drafts(v_drafts, false, p_now);
  return v_drafts;
end
$$;

-- check_drafts: refuses tasks of which one is at fault. Errors: as submit.
-- One that repeats a task is not held against its tenant's limits of today, nor, where it names no model, against today's default.
-- Params:  p_cut: their requests are pieces of JSON, so that they need not be read to know it: 15 us of 4 KB.
create or replace function sluice.check_drafts(p_drafts sluice.draft[], p_cut boolean, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_default text;
  v_bytes_max int;
  v_guarded boolean;
  v_limited boolean;
begin
  select s.default_model, s.request_bytes_max, sluice.is_guarded(),
    exists (select from sluice.models where tpm is not null) or exists (select from sluice.tenants where tpm is not null)
  into v_default, v_bytes_max, v_guarded, v_limited from sluice.settings s;
  perform sluice.check_task(d.prompt, d.request, d.priority, d.max_attempts, d.max_output_tokens, d.metadata, d.tenant,
    d.idempotency_key, d.traceparent, d.deadline, v_bytes_max, p_now)
  from unnest(p_drafts) d
  where (d.request is not null and not p_cut) or sluice.fault(d.prompt, d.request, d.priority, d.max_attempts, d.max_output_tokens,
    d.metadata, d.tenant, d.idempotency_key, d.traceparent, d.deadline, v_bytes_max, p_now) is not null;
  if v_guarded then
    perform sluice.require_tenant(t) from (select distinct d.tenant from unnest(p_drafts) d) t(t);
  end if;
  if sluice.are_limited() then
    perform sluice.refuse_excess(d.tenant, d.priority, coalesce(d.model, v_default))
    from unnest(p_drafts) d cross join lateral sluice.limits_of(d.tenant) l
    where sluice.exceeds(l, d.priority, coalesce(d.model, v_default)) and not sluice.is_bound(d.tenant, d.idempotency_key);
  end if;
  perform sluice.target(t.name, t.verbatim)
  from (select distinct coalesce(d.model, v_default) as name, d.request is not null as verbatim from unnest(p_drafts) d
        where d.model is not null or not sluice.is_bound(d.tenant, d.idempotency_key)) t;
  if v_limited then
    perform sluice.check_fits(coalesce(d.model, v_default), d.tenant, octet_length(coalesce(d.prompt, d.request)), d.max_output_tokens)
    from unnest(p_drafts) d
    where d.model is not null or not sluice.is_bound(d.tenant, d.idempotency_key);
  end if;
end
$$;

-- keep_keys: binds the idempotency keys of p_drafts to p_ids; as sluice.keep_key for each.
-- Returns: for each draft its own id, or the one to which its key was bound before.
-- In the order of the keys: two calls with the same keys wait for each other in no circle.
-- Only hash joins: the planner knows nothing of an array's length, and would join in n * n steps, or sort prompts.
create or replace function sluice.keep_keys(p_drafts sluice.draft[], p_ids bigint[]) returns bigint[]
language plpgsql volatile
set enable_nestloop = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_kept bigint[] := p_ids;
  v_old record;
begin
  for v_old in
    with keyed as materialized (
      select d.tenant, sha256(convert_to(d.idempotency_key, 'UTF8')) as key_sha256, p_ids[d.ordinality] as task_id,
        d.idempotency_key as key, d.ordinality as place,
        sluice.content_sha256(d.model, d.prompt, d.request, d.max_output_tokens) as content_sha256
      from unnest(p_drafts) with ordinality d where d.idempotency_key is not null),
    bound as (
      insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
      select k.tenant, k.key_sha256, k.task_id, k.content_sha256 from keyed k
      order by k.tenant, k.key_sha256, k.task_id on conflict do nothing returning task_id)
    select k.* from keyed k left join bound b using (task_id)
    where b.task_id is null order by k.tenant, k.key_sha256, k.task_id
  loop
    v_kept[v_old.place] := sluice.keep_key(v_old.tenant, v_old.key, v_old.content_sha256, v_old.task_id, v_old.place);
  end loop;
  return v_kept;
end
$$;

-- store_drafts: inserts into sluice.task those of p_drafts that keep their ids (p_kept = p_ids), each for its target.
-- Returns: what sluice.place() puts into their lines, in the order of the ids.
create or replace function sluice.store_drafts(
  p_drafts sluice.draft[], p_ids bigint[], p_kept bigint[], p_now timestamptz) returns sluice.new_task[]
language plpgsql volatile
set enable_nestloop = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan   -- as for keep_keys
as $$
#variable_conflict use_column
declare
  v_new sluice.new_task[];
begin
  with aim as materialized (
    select n.name, n.verbatim, t.route, t.api, t.id, sluice.line_of(t.id, t.route, t.api) as line
    from (select distinct d.model as name, d.request is not null as verbatim from unnest(p_drafts) with ordinality d
          where p_kept[d.ordinality] = p_ids[d.ordinality]) n
    cross join lateral sluice.target(n.name, n.verbatim) t),
  stored as (
    insert into sluice.task (id, created_at, run_at, deadline, batch_id, model, max_output_tokens, priority,
      max_attempts, route, api, tenant, traceparent, metadata, prompt, request)
    select p_ids[d.ordinality], p_now, d.run_at, d.deadline, d.batch_id, a.id, d.max_output_tokens, d.priority, d.max_attempts, a.route,
      a.api, d.tenant, d.traceparent, d.metadata, d.prompt, d.request
    from unnest(p_drafts) with ordinality d join aim a on a.name = d.model and a.verbatim = (d.request is not null)
    where p_kept[d.ordinality] = p_ids[d.ordinality]
    returning id, run_at, deadline, model, route, api, octet_length(coalesce(prompt, request)) as bytes, -priority as rank, tenant,
      coalesce(run_at > p_now, false) as later)
  select array_agg(row(n.id, case when n.later then n.run_at else p_now end, n.deadline,
      coalesce(n.model, (select a.line from aim a where a.route = n.route and a.api is not distinct from n.api limit 1)), n.model, n.route,
      n.bytes, n.rank, not n.later, n.tenant, p_now, null, null)::sluice.new_task)
  into v_new from stored n;
  return v_new;
end
$$;

-- place: puts new tasks where they begin: into their lines, or aside until their time.
-- Params:  p_new: in the order of their ids; p_now.
-- Errors:  SL001: the model was deleted meanwhile; SL003, SL005: see sluice.accept_many.
create or replace function sluice.place(p_new sluice.new_task[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_line record;
begin
  perform sluice.accept_many(p_new, p_now);
  insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, route, tenant)
  select n.task_id, n.ready_at, n.deadline, n.model, n.request_bytes, 0, n.rank, 0, n.route, n.tenant
  from unnest(p_new) n where not n.due;
  for v_line in select n.line, array_agg(n) as tasks from unnest(p_new) n group by n.line order by n.line loop
    perform sluice.hold_line(v_line.line);
    execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
      select n.task_id, n.ready_at, n.deadline, n.model, n.request_bytes, 0, n.rank, 0, n.tenant from unnest($1) n where n.due',
      'queue_' || sluice.line_name(v_line.line)) using v_line.tasks;
    perform sluice.ring(v_line.line);
  end loop;
end
$$;

-- hold_line: keeps a line, and its model, from being deleted until this transaction ends. Errors: SL001: it has been.
create or replace function sluice.hold_line(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_gauge regclass := to_regclass(case when p_line > 0 then 'sluice.load_' || p_line else 'sluice.waits_' || sluice.line_name(p_line) end);
begin
  if v_gauge is null then
    perform sluice.refuse_deleted();
  end if;
  perform pg_sequence_last_value(v_gauge);  -- draws none, but locks it
end
$$;
