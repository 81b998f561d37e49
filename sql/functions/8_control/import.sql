-- Tasks that `sluice export` has written, of another installation or of this one.

-- import_tasks: takes over exported tasks, all or none, each once however often it comes:
-- unfinished ones are submitted, and ended ones stored as they ended, with their texts and times.
-- They get new ids. The history does not count them; batches do not come along.
-- Params:  tasks: a JSON array of lines of an export; source: a name for where they come from: a
--          task is known by it and by the id that it had there.
-- Returns: the ids here, in the order of the array; of a task that came before, the one it got.
-- Errors:  SL004 what is no line of an export; as submit_many.
create or replace function sluice.import_tasks(
  tasks jsonb, source text, p_now timestamptz default null)
returns setof bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_waiting bigint[];
  v_ended bigint[];
begin
  perform sluice.check_imported(import_tasks.tasks, import_tasks.source);
  v_waiting := sluice.submit_drafts(sluice.drafts_of(coalesce((
      select jsonb_agg(sluice.imported_draft(i.task, import_tasks.source) order by i.n)
      from jsonb_array_elements(import_tasks.tasks) with ordinality i(task, n)
      where not sluice.has_ended(i.task)), '[]'), v_now), null, null, 1, v_now);
  v_ended := sluice.import_ends(array(
      select i.task from jsonb_array_elements(import_tasks.tasks) with ordinality i(task, n)
      where sluice.has_ended(i.task) order by i.n), import_tasks.source, v_now);
  perform sluice.note_audit('import_tasks', import_tasks.source,
    jsonb_build_object('tasks', jsonb_array_length(import_tasks.tasks)), v_now);
  return query
  select case when p.has_ended then v_ended[p.place] else v_waiting[p.place] end
  from (
    select i.n, e.has_ended, row_number() over (partition by e.has_ended order by i.n) as place
    from jsonb_array_elements(import_tasks.tasks) with ordinality i(task, n)
    cross join lateral (select sluice.has_ended(i.task) as has_ended) e) p
  order by p.n;
end
$$;

-- has_ended: whether a line of an export is of a task that has ended.
create or replace function sluice.has_ended(p_task jsonb) returns boolean
language sql immutable parallel safe
as $$
  select p_task ->> 'status' in ('solved', 'failed', 'cancelled', 'expired')
$$;

-- import_key: the idempotency key of an imported task.
create or replace function sluice.import_key(p_task jsonb, p_source text) returns text
language sql immutable parallel safe
as $$ select 'sluice import ' || p_source || ' ' || (p_task ->> 'id') $$;

-- imported_draft: an unfinished task as submit_many takes it. A time that has passed is now.
create or replace function sluice.imported_draft(p_task jsonb, p_source text) returns jsonb
language sql immutable parallel safe
as $$
  select jsonb_object_agg(f.key, f.value)
  from jsonb_each(jsonb_build_object('prompt', p_task -> 'prompt', 'request', p_task -> 'request',
    'model', coalesce(nullif(p_task -> 'route', 'null'), p_task -> 'model'),
    'priority', p_task -> 'priority', 'tenant', p_task -> 'tenant', 'run_at', p_task -> 'run_at',
    'deadline', p_task -> 'deadline', 'max_attempts', p_task -> 'max_attempts',
    'max_output_tokens', p_task -> 'max_output_tokens', 'metadata', p_task -> 'metadata',
    'traceparent', p_task -> 'traceparent', 'schema_version', p_task -> 'schema_version',
    'affinity_key', p_task -> 'affinity_key',
    'idempotency_key', sluice.import_key(p_task, p_source))) f(key, value)
  where f.value <> 'null'
$$;

-- check_imported: SL004 unless p_tasks are lines of an export.
create or replace function sluice.check_imported(p_tasks jsonb, p_source text) returns void
language plpgsql volatile
as $$
declare
  v_fault record;
begin
  if coalesce(length(p_source), 0) not between 1 and 200 then
    raise exception 'source has % characters', coalesce(length(p_source), 0)
      using errcode = 'SL004', column = 'source',
      hint = 'It names where the tasks come from, in 1 to 200.';
  elsif jsonb_typeof(p_tasks) is distinct from 'array' then
    raise exception 'tasks is a JSON %, not an array', coalesce(jsonb_typeof(p_tasks), 'null')
      using errcode = 'SL004', column = 'tasks', hint = 'An array of lines of sluice export.';
  end if;
  select i.n, case when jsonb_typeof(i.task) <> 'object' then 'is no object'
      when i.task - sluice.export_columns() <> '{}' then format('has the key "%s"',
        left((select min(k) from jsonb_object_keys(i.task - sluice.export_columns()) k), 200))
      when i.task ->> 'id' !~ '^\d{1,18}$' or i.task ->> 'id' is null then 'has no id'
      when i.task ->> 'status' is null then 'has no status'
      when sluice.has_ended(i.task) and (i.task ->> 'tenant' is null
        or i.task ->> 'created_at' is null or i.task ->> 'finished_at' is null)
        then 'has ended, without tenant, created_at or finished_at' end as problem into v_fault
  from jsonb_array_elements(p_tasks) with ordinality i(task, n)
  where jsonb_typeof(i.task) <> 'object' or i.task - sluice.export_columns() <> '{}'
    or (i.task ->> 'id' ~ '^\d{1,18}$') is not true or i.task ->> 'status' is null
    or sluice.has_ended(i.task) and (i.task ->> 'tenant' is null or i.task ->> 'created_at' is null
      or i.task ->> 'finished_at' is null)
  order by i.n limit 1;
  if found then
    raise exception 'task %: %', v_fault.n, v_fault.problem using errcode = 'SL004',
      hint = 'Import takes the lines that sluice export writes, with texts.';
  end if;
end
$$;

-- import_ends: stores tasks that have ended elsewhere.
-- Params:  p_tasks: lines of an export, checked.
-- Returns: their ids here, in the same order.
-- Errors:  SL004 a value that is of another type; SL009 not this caller's tenant.
create or replace function sluice.import_ends(p_tasks jsonb[], p_source text, p_now timestamptz)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_ids bigint[] := array(select nextval('sluice.task_id') from unnest(p_tasks));
  v_kept bigint[];
begin
  perform sluice.require_tenant(t ->> 'tenant') from unnest(p_tasks) t;
  perform sluice.require_range(i) from unnest(array[v_ids[1], v_ids[cardinality(v_ids)]]) i
  where i is not null;
  v_kept := sluice.keep_keys(array(
    select row(t ->> 'prompt', coalesce(t ->> 'route', t ->> 'model'), 0, t ->> 'tenant', null,
      null, sluice.import_key(t, p_source), null, t ->> 'request', null, null, null,
      null, t ->> 'schema_version', t ->> 'affinity_key')::sluice.draft
    from unnest(p_tasks) with ordinality i(t, n) order by i.n), v_ids);
  perform sluice.store_ends(array(select p_tasks[n] from generate_subscripts(v_ids, 1) n
      where v_kept[n] = v_ids[n] order by n),
    array(select v_ids[n] from generate_subscripts(v_ids, 1) n where v_kept[n] = v_ids[n]
      order by n), p_now);
  return v_kept;
exception when invalid_text_representation or numeric_value_out_of_range or invalid_datetime_format
    or datetime_field_overflow then
  raise exception '%', sqlerrm using errcode = 'SL004',
    hint = 'Import takes the lines that sluice export writes.';
end
$$;

-- store_ends: the rows of import_ends.
create or replace function sluice.store_ends(p_tasks jsonb[], p_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.task (id, created_at, run_at, deadline, model, max_output_tokens, priority,
    max_attempts, route, tenant, traceparent, metadata, prompt, request, forgotten_at,
    schema_version, affinity_key)
  select p_ids[i.n], (i.t ->> 'created_at')::timestamptz, (i.t ->> 'run_at')::timestamptz,
    (i.t ->> 'deadline')::timestamptz, m.id, (i.t ->> 'max_output_tokens')::int,
    coalesce((i.t ->> 'priority')::smallint, 0), (i.t ->> 'max_attempts')::smallint,
    i.t ->> 'route', i.t ->> 'tenant', i.t ->> 'traceparent', nullif(i.t -> 'metadata', 'null'),
    i.t ->> 'prompt', i.t ->> 'request',
    case when num_nonnulls(i.t ->> 'prompt', i.t ->> 'request') = 0
      then least((i.t ->> 'finished_at')::timestamptz, p_now) end, i.t ->> 'schema_version',
    i.t ->> 'affinity_key'
  from unnest(p_tasks) with ordinality i(t, n)
  left join sluice.models m on i.t ->> 'route' is null and m.name = i.t ->> 'model';
  insert into sluice.result (task_id, created_at, queued_at, started_at, finished_at, fence,
    input_tokens, output_tokens, attempts, status, model, error_code, error, cost, answer, response)
  select p_ids[i.n], (i.t ->> 'created_at')::timestamptz, (i.t ->> 'queued_at')::timestamptz,
    (i.t ->> 'started_at')::timestamptz, (i.t ->> 'finished_at')::timestamptz, 0,
    (i.t ->> 'input_tokens')::int, (i.t ->> 'output_tokens')::int,
    coalesce((i.t ->> 'attempts')::smallint, 0), i.t ->> 'status', i.t ->> 'model',
    i.t ->> 'error_code', i.t ->> 'error', (i.t ->> 'cost')::numeric, i.t ->> 'answer',
    i.t ->> 'response'
  from unnest(p_tasks) with ordinality i(t, n);
end
$$;
