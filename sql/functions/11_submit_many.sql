-- submit_many: accepts many tasks in one statement; all or none.
-- Stage:   10. The same as sluice.submit for each element, many times faster.
-- Params:  tasks: a JSON array of objects whose keys are submit's argument names.
-- Returns: the ids, in the order of the array.
-- Errors:  as submit, the message beginning with the element's number (from 1) where one is at fault; SL004 also for an
--          unknown key; SL003 and SL005 also when all of them together are too many.
-- All are read, checked, numbered, held against the bounds and stored, one after the other; each step is one statement over all of them.
create or replace function sluice.submit_many(tasks jsonb, p_now timestamptz default null) returns setof bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := case when p_now is null then clock_timestamp() else sluice.now_for(p_now) end;
begin
  return query select unnest(sluice.submit_drafts(sluice.drafts_of(submit_many.tasks, v_now), null, 1, v_now));
end
$$;

-- submit_drafts: submit_many for tasks that are typed and checked already. Room is asked for before any text is stored.
-- Params:  p_ids: that they get if they are new (null: the next ones); p_share: of the bounds of the system and of models, beyond which
--          they are full.
-- Returns: of each its id, or that of the task it repeats.
create or replace function sluice.submit_drafts(p_drafts sluice.draft[], p_ids bigint[], p_share double precision, p_now timestamptz)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_kept bigint[];
  v_new sluice.new_task[];
  v_keyed boolean;
  v_unnamed boolean;
begin
  if p_ids is null then
    p_ids := array(select nextval('sluice.task_id') from generate_series(1, cardinality(p_drafts)));
    perform sluice.require_range(i) from unnest(array[p_ids[1], p_ids[cardinality(p_ids)]]) i where i is not null;
  end if;
  v_kept := p_ids;
  select bool_or(d.idempotency_key is not null), bool_or(d.model is null) into v_keyed, v_unnamed from unnest(p_drafts) d;
  if v_keyed then
    v_kept := sluice.keep_keys(p_drafts, p_ids);
    p_drafts := array(select p_drafts[n] from generate_subscripts(p_ids, 1) n where v_kept[n] = p_ids[n]);
    p_ids := array(select id from unnest(p_ids, v_kept) i(id, kept) where kept = id);
  end if;
  if v_unnamed then  -- now that it is known which are new
    p_drafts := array(select sluice.draft_of(d, sluice.default_model()) from unnest(p_drafts) d);
  end if;
  if p_ids <> '{}' then
    v_new := sluice.new_tasks(p_drafts, p_ids, p_now);
    perform sluice.accept_many(v_new, p_share, p_now), sluice.store_texts(p_drafts, v_new), sluice.place(v_new);
  end if;
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

-- drafts_of: the elements of submit_many, typed and checked. Errors: see submit_many; of the first one at fault, its number in front.
-- Whether something is left of them without the known keys costs half of listing what is there; in one pass with the reading
-- it costs more. A prompt must be a text: 42 would become "42".
create or replace function sluice.drafts_of(p_tasks jsonb, p_now timestamptz) returns sluice.draft[]
language plpgsql volatile
as $$
declare
  c_known constant text[] := '{prompt, model, priority, tenant, run_at, deadline, idempotency_key, max_attempts, request,
    max_output_tokens, metadata, batch_id, traceparent}';
  v_drafts sluice.draft[];
begin
  if jsonb_typeof(p_tasks) is distinct from 'array' then
    raise exception 'tasks is a JSON %, not an array', coalesce(jsonb_typeof(p_tasks), 'null') using errcode = 'SL004',
      hint = 'Pass an array of objects with the same keys as the arguments of sluice.submit.';
  end if;
  begin
    if not exists (select from jsonb_array_elements(p_tasks) item
                   where item - c_known <> '{}' or jsonb_typeof(item -> 'prompt') not in ('string', 'null')) then
      v_drafts := array(select sluice.draft_of(d) from jsonb_populate_recordset(null::sluice.draft, p_tasks) d);
    end if;
  exception when data_exception then
    null;  -- which one was it?
  end;
  if v_drafts is null then
    perform sluice.refuse_misfit(p_tasks, c_known, p_now);
  end if;
  perform sluice.check_drafts(v_drafts, false, p_now);
  return v_drafts;
end
$$;

-- refuse_misfit: says which of p_tasks, of which one cannot be read as a draft, is the first one at fault. Errors: as drafts_of.
create or replace function sluice.refuse_misfit(p_tasks jsonb, p_known text[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_place int := 0;
  v_task jsonb;
  v_draft sluice.draft;
  v_hint text;
  v_key text;
begin
  begin
    for v_task in select t from jsonb_array_elements(p_tasks) t loop
      v_place := v_place + 1;
      exit when v_task - p_known <> '{}' or jsonb_typeof(v_task -> 'prompt') not in ('string', 'null');
      v_draft := jsonb_populate_record(null::sluice.draft, v_task);
    end loop;
  exception when data_exception then
    null;  -- it is this one
  end;
  perform sluice.check_element(v_task, p_known);
exception when sqlstate 'SL004' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  if v_place > 1 then
    perform sluice.drafts_of(jsonb_path_query_array(p_tasks, 'strict $[0 to $last]', jsonb_build_object('last', v_place - 2)), p_now);
  end if;
  raise exception 'task %: %', v_place, sqlerrm using errcode = 'SL004', column = v_key, hint = v_hint;
end
$$;

-- check_element: SL004 unless an element of submit_many is an object of the keys p_known, each of its argument's type.
create or replace function sluice.check_element(p_task jsonb, p_known text[]) returns void
language plpgsql volatile
as $$
begin
  perform sluice.check_columns(p_task, p_known);
  if jsonb_typeof(p_task -> 'prompt') not in ('string', 'null') then
    raise exception 'prompt is a JSON %, not a string', jsonb_typeof(p_task -> 'prompt') using errcode = 'SL004', column = 'prompt',
      hint = 'prompt is plain text for the model; request is a verbatim JSON body.';
  end if;
  perform jsonb_populate_record(null::sluice.draft, p_task);
exception when data_exception then
  perform sluice.name_misfit('draft', p_task);
  raise exception '%', sqlerrm using errcode = 'SL004', hint = 'Its values are of the types of sluice.submit''s arguments.';
end
$$;

-- check_drafts: refuses tasks of which one is at fault. Errors: as submit; the first one's number is in front.
-- Only those are looked at one by one that may be: a call of check_task for each cost 15 us.
-- One that repeats a task is not held against its tenant's limits of today, nor, where it names no model, against today's default.
-- Params:  p_cut: their requests are pieces of JSON, so that they need not be read to know it: 15 us of 4 KB.
create or replace function sluice.check_drafts(p_drafts sluice.draft[], p_cut boolean, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_rules record;
  v_firsts bigint[];
  v record;
  v_hint text;
  v_key text;
begin
  select s.default_model, s.request_bytes_max, sluice.are_limited() as limited, sluice.is_guarded() or sluice.are_limited() as personal,
    exists (select from sluice.models where tpm is not null) or exists (select from sluice.tenants where tpm is not null) as metered
  into v_rules from sluice.settings s;
  -- The first of each kind: of a model or route, and where tenants have rules of a tenant and a priority. A repeat is another kind.
  v_firsts := array(
    select min(d.ordinality) from unnest(p_drafts) with ordinality d
    group by d.model, d.request is null, case when v_rules.personal then row(d.tenant, d.priority) end,
      (d.model is null or v_rules.limited) and sluice.is_bound(d.tenant, d.idempotency_key));
  for v in
    select * from (
      select d.*, coalesce(d.model, v_rules.default_model) as name, d.ordinality = any (v_firsts) as first,
        d.request is not null and not p_cut as unread, (d.model is null or v_rules.limited) and sluice.is_bound(d.tenant,
          d.idempotency_key) as bound,
        sluice.fault(d.prompt, d.request, d.priority, d.max_attempts, d.max_output_tokens, d.metadata, d.tenant, d.idempotency_key,
          d.traceparent, d.deadline, v_rules.request_bytes_max, p_now) is not null as faulty
      from unnest(p_drafts) with ordinality d) d
    where d.first or d.faulty or d.unread or v_rules.metered
  loop
    if v.faulty then
      perform sluice.check_task(v.prompt, v.request, v.priority, v.max_attempts, v.max_output_tokens, v.metadata, v.tenant,
        v.idempotency_key, v.traceparent, v.deadline, v_rules.request_bytes_max, p_now);
    elsif v.unread then
      perform sluice.check_request(v.request);
    end if;
    if v.first then
      perform sluice.require_tenant(v.tenant);
      perform sluice.refuse_excess(v.tenant, v.priority, v.name) from sluice.limits_of(v.tenant) l
      where v_rules.limited and not v.bound and sluice.exceeds(l, v.priority, v.name);
      perform sluice.target(v.name, v.request is not null) where v.model is not null or not v.bound;
    end if;
    if v_rules.metered and (v.model is not null or not v.bound) then
      perform sluice.check_fits(v.name, v.tenant, octet_length(coalesce(v.prompt, v.request)), v.max_output_tokens);
    end if;
  end loop;
exception when sqlstate 'SL001' or sqlstate 'SL002' or sqlstate 'SL004' or sqlstate 'SL007' or sqlstate 'SL009' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  raise exception 'task %: %', v.ordinality, sqlerrm using errcode = sqlstate, column = v_key, hint = v_hint;
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

-- new_tasks: where each of p_drafts, whose ids are p_ids, begins; in their order. Errors: SL001: as target.
create or replace function sluice.new_tasks(p_drafts sluice.draft[], p_ids bigint[], p_now timestamptz) returns sluice.new_task[]
language plpgsql volatile
set enable_nestloop = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan   -- as for keep_keys
as $$
#variable_conflict use_column
begin
  return (
    with aim as materialized (
      select n.name, n.verbatim, t.route, t.id, sluice.line_of(t.id, t.route, t.api) as line
      from (select distinct d.model as name, d.request is not null as verbatim from unnest(p_drafts) d) n
      cross join lateral sluice.target(n.name, n.verbatim) t)
    select array_agg(row(p_ids[d.ordinality], greatest(d.run_at, p_now), d.deadline, a.line, a.id, a.route,
      octet_length(coalesce(d.prompt, d.request)), -d.priority, coalesce(d.run_at <= p_now, true), d.tenant, p_now, null,
      null)::sluice.new_task order by d.ordinality)
    from unnest(p_drafts) with ordinality d join aim a on a.name = d.model and a.verbatim = (d.request is not null));
end
$$;

-- store_texts: inserts p_drafts into sluice.task. Params: p_new: of each, as new_tasks says.
create or replace function sluice.store_texts(p_drafts sluice.draft[], p_new sluice.new_task[]) returns void
language plpgsql volatile
as $$
begin
  insert into sluice.task (id, created_at, run_at, deadline, batch_id, model, max_output_tokens, priority,
    max_attempts, route, api, tenant, traceparent, metadata, prompt, request)
  select (d.new).task_id, (d.new).submitted_at, d.run_at, d.deadline, d.batch_id, (d.new).model, d.max_output_tokens, d.priority,
    d.max_attempts, (d.new).route,
    case when d.request is not null and (d.new).line < 0 then (select l.api from sluice.route_line l where l.n = -(d.new).line) end,
    d.tenant, d.traceparent, d.metadata, d.prompt, d.request
  from (select d.*, p_new[d.ordinality] as new from unnest(p_drafts) with ordinality d offset 0) d;
end
$$;

-- place: puts new tasks where they begin: into their lines, or aside until their time. Errors: SL001: the model was deleted meanwhile.
create or replace function sluice.place(p_new sluice.new_task[]) returns void
language plpgsql volatile
as $$
declare
  v_line record;
begin
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
