-- Tasks that `sluice export` has written, of another installation or of this one.

-- import_tasks: takes over exported tasks, all or none, each once however often it comes:
-- unfinished ones are submitted, and ended ones stored as they ended, with their texts and times.
-- They get new ids. The history does not count them; batches do not come along.
-- Params:  tasks: a JSON array of lines of an export; source: a name for where they come from: a
--          task is known by it, its id there, and when it was submitted there.
-- Returns: the ids here, in the order of the array; of a task that came before, the one it got: it
--          stays as it came, whatever has become of it there.
-- Errors:  SL004 what is no line of an export, or a value out of bounds; as submit_many.
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
  perform sluice.check_imported(import_tasks.tasks, import_tasks.source),
    sluice.check_ends(import_tasks.tasks, v_now);
  v_waiting := sluice.import_waiting(import_tasks.tasks, import_tasks.source, v_now);
  v_ended := sluice.import_ends(array(
      select i.task from jsonb_array_elements(import_tasks.tasks) with ordinality i(task, n)
      where sluice.has_ended(i.task) order by i.n), import_tasks.source, v_now);
  perform sluice.note_audit('import_tasks', import_tasks.source,
    jsonb_build_object('tasks', jsonb_array_length(import_tasks.tasks)));
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

-- import_key: the idempotency key of an imported task. Its content is not compared (keep_keys): it
-- may have moved, ended or been erased since the last export.
create or replace function sluice.import_key(p_task jsonb, p_source text) returns text
language sql stable parallel safe
as $$
  select concat_ws(' ', 'sluice import', p_source, p_task ->> 'id',
    sluice.micros((p_task ->> 'created_at')::timestamptz))
$$;

-- imported_draft: an unfinished task as submit_many takes it. A time that has passed is now.
create or replace function sluice.imported_draft(p_task jsonb, p_source text) returns jsonb
language sql stable parallel safe
as $$
  select jsonb_object_agg(f.key, f.value)
  from jsonb_each(p_task || jsonb_build_object('model', coalesce(nullif(p_task -> 'route', 'null'),
    p_task -> 'model'), 'idempotency_key', sluice.import_key(p_task, p_source))) f
  where f.value <> 'null' and f.key = any ('{prompt, request, model, priority, tenant, run_at,
    deadline, max_attempts, max_output_tokens, metadata, traceparent, schema_version, affinity_key,
    idempotency_key}')
$$;

-- import_waiting: submits those tasks that have not ended.
-- Returns: their ids here, in the same order.
-- Errors:  as submit_many, with the number among p_tasks in front.
create or replace function sluice.import_waiting(p_tasks jsonb, p_source text, p_now timestamptz)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_places int[] := array(select i.n from jsonb_array_elements(p_tasks) with ordinality i(task, n)
    where not sluice.has_ended(i.task) order by i.n);
  v_hint text;
  v_key text;
begin
  if exists (select from unnest(v_places) p
    where not isfinite((p_tasks -> p - 1 ->> 'created_at')::timestamptz)) then
    raise datetime_field_overflow using message = 'created_at is infinite';
  end if;
  return sluice.submit_drafts(sluice.read_drafts(coalesce((
      select jsonb_agg(sluice.imported_draft(p_tasks -> p - 1, p_source) order by n)
      from unnest(v_places) with ordinality u(p, n)), '[]'), p_now), null, null, 1, p_now);
exception when invalid_datetime_format or datetime_field_overflow then
  raise exception '%', sqlerrm using errcode = 'SL004', column = 'created_at',
    hint = 'Import takes the lines that sluice export writes.';
when others then
  if sqlerrm !~ '^task [0-9]+: ' then
    raise;
  end if;
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  raise exception 'task %: %', v_places[substring(sqlerrm from '^task ([0-9]+)')::int],
    regexp_replace(sqlerrm, '^task [0-9]+: ', '') using errcode = sqlstate, column = v_key,
    hint = v_hint;
end
$$;

-- check_ends: SL004 or SL007 unless the values of those that have ended are within bounds, with the
-- number of the first at fault in front.
create or replace function sluice.check_ends(p_tasks jsonb, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_at record;
  v_hint text;
  v_key text;
begin
  for v_at in
    select i.n, i.task, s.request_bytes_max as bytes_max
    from jsonb_array_elements(p_tasks) with ordinality i(task, n) cross join sluice.settings s
    where sluice.has_ended(i.task) order by i.n
  loop
    perform sluice.check_end(v_at.task, v_at.bytes_max, p_now);
  end loop;
exception when sqlstate 'SL004' or sqlstate 'SL007' then
  get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
  raise exception 'task %: %', v_at.n, sqlerrm using errcode = sqlstate, column = v_key,
    hint = v_hint;
end
$$;

-- check_end: SL004 or SL007 unless an ended task is as a submit takes it, but for what has passed,
-- and its outcome as a completion stores it: one that ended at infinity would break everybody's
-- views. A forgotten one has an empty prompt, and one that was exported without texts none.
create or replace function sluice.check_end(p_task jsonb, p_bytes_max int, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  c_late constant timestamptz := p_now + interval '1 minute';  -- clocks differ
  v_task sluice.task;
  v_end sluice.result;
  v_fault record;
begin
  v_task := jsonb_populate_record(null::sluice.task,
    p_task - '{id, model, bounds}'::text[]);
  v_end := jsonb_populate_record(null::sluice.result, p_task);
  perform sluice.check_task(case when num_nonnulls(nullif(v_task.prompt, ''), v_task.request) = 0
      then 'forgotten' else v_task.prompt end, v_task.request, coalesce(v_task.priority, 0),
    v_task.max_attempts, v_task.max_output_tokens, v_task.metadata, v_task.tenant, null,
    v_task.traceparent, null, p_bytes_max, p_now), sluice.check_affinity_key(v_task.affinity_key);
  select f.* into v_fault from (
    select t.field, t.at is null or isfinite(t.at) and t.at <= c_late as is_right,
      'finite, and no more than a minute in the future' as bound
    from (values ('created_at', v_end.created_at), ('queued_at', v_end.queued_at),
      ('started_at', v_end.started_at), ('finished_at', v_end.finished_at)) t(field, at)
    union all
    select t.field, isfinite(t.at), 'finite'
    from (values ('run_at', v_task.run_at), ('deadline', v_task.deadline)) t(field, at)
    union all
    select t.field, t.tokens >= 0, '0 to 2147483647' from (values
      ('input_tokens', v_end.input_tokens), ('output_tokens', v_end.output_tokens)) t(field, tokens)
    union all values
      ('attempts', v_end.attempts >= 0, '0 to 32767'),
      ('cost', v_end.cost between 0 and 1e9 and scale(v_end.cost) <= 30,
        '0 to 1,000,000,000, with 30 decimals at most'),
      ('model', length(v_end.model) <= 200, 'of 200 characters at most'),
      ('route', length(v_task.route) <= 200, 'of 200 characters at most'),
      ('schema_version', length(v_task.schema_version) <= 100, 'of 100 characters at most'),
      ('error_code', length(v_end.error_code) <= 200, 'of 200 characters at most')) f
  where not f.is_right limit 1;
  if found then
    raise exception '% % is not %', v_fault.field, left(p_task ->> v_fault.field, 100),
      v_fault.bound using errcode = 'SL004', column = v_fault.field,
      hint = 'Import takes the lines that sluice export writes.';
  end if;
exception when data_exception then
  perform sluice.check_types('task', p_task - '{id, model}'::text[]),
    sluice.check_types('result', p_task);
  raise exception '%', sqlerrm using errcode = 'SL004',
    hint = 'Import takes the lines that sluice export writes.';
end
$$;

-- check_imported: SL004 unless p_tasks are lines of an export.
create or replace function sluice.check_imported(p_tasks jsonb, p_source text) returns void
language plpgsql volatile
as $$
declare
  c_statuses constant text[] := '{unsolved, queued, processing, solved, failed, cancelled,
    expired}';
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
  select f.n, f.problem into v_fault
  from (
    select i.n, case when jsonb_typeof(i.task) <> 'object' then 'is no object'
      when i.task - sluice.export_columns() <> '{}' then format('has the key "%s"',
        left((select min(k) from jsonb_object_keys(i.task - sluice.export_columns()) k), 200))
      when i.task ->> 'id' !~ '^[0-9]{1,18}$' or i.task ->> 'id' is null then 'has no id'
      when i.task ->> 'status' is null then 'has no status'
      when i.task ->> 'status' <> all (c_statuses) then format('has the status "%s"',
        left(i.task ->> 'status', 100))
      when sluice.has_ended(i.task) and (i.task ->> 'tenant' is null
        or i.task ->> 'created_at' is null or i.task ->> 'finished_at' is null)
        then 'has ended, without tenant, created_at or finished_at' end as problem
    from jsonb_array_elements(p_tasks) with ordinality i(task, n)) f
  where f.problem is not null order by f.n limit 1;
  if found then
    raise exception 'task %: %', v_fault.n, v_fault.problem using errcode = 'SL004',
      hint = 'Import takes the lines that sluice export writes, with texts.';
  end if;
end
$$;

-- import_ends: stores tasks that have ended elsewhere.
-- Params:  p_tasks: lines of an export, checked.
-- Returns: their ids here, in the same order.
-- Errors:  SL009 not this caller's tenant.
create or replace function sluice.import_ends(p_tasks jsonb[], p_source text, p_now timestamptz)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_ids bigint[];
  v_kept bigint[];
begin
  perform sluice.first_new_id();
  v_ids := array(select nextval('sluice.task_id') from unnest(p_tasks));
  perform sluice.require_tenant(t ->> 'tenant') from unnest(p_tasks) t;
  perform sluice.require_range(i) from unnest(array[v_ids[1], v_ids[cardinality(v_ids)]]) i
  where i is not null;
  v_kept := sluice.keep_keys(array(
    select row(t ->> 'prompt', coalesce(t ->> 'route', t ->> 'model'), 0, t ->> 'tenant', null,
      null, sluice.import_key(t, p_source), null, t ->> 'request', null, null, null,
      null, t ->> 'schema_version', t ->> 'affinity_key')::sluice.task_draft
    from unnest(p_tasks) with ordinality i(t, n) order by i.n), v_ids, null);
  insert into sluice.task (id, created_at, run_at, deadline, model, max_output_tokens, priority,
    max_attempts, route, tenant, traceparent, metadata, prompt, request, forgotten_at,
    schema_version, affinity_key)
  select i.id, t.created_at, t.run_at, t.deadline, m.id, t.max_output_tokens,
    coalesce(t.priority, 0), t.max_attempts, t.route, t.tenant, t.traceparent, t.metadata, t.prompt,
    t.request, case when num_nonnulls(nullif(t.prompt, ''), t.request) = 0
      then least((i.task ->> 'finished_at')::timestamptz, p_now) end, t.schema_version,
    t.affinity_key
  from unnest(p_tasks, v_ids, v_kept) i(task, id, kept)
  cross join lateral jsonb_populate_record(null::sluice.task,
    i.task - '{id, model, bounds}'::text[]) t
  left join sluice.models m on t.route is null and m.name = i.task ->> 'model'
  where i.kept = i.id;
  insert into sluice.result (task_id, created_at, queued_at, started_at, finished_at, fence,
    input_tokens, output_tokens, attempts, status, model, error_code, error, cost, answer, response)
  select i.id, r.created_at, r.queued_at, r.started_at, r.finished_at, 0, r.input_tokens,
    r.output_tokens, coalesce(r.attempts, 0), r.status, r.model, r.error_code, r.error, r.cost,
    r.answer, r.response
  from unnest(p_tasks, v_ids, v_kept) i(task, id, kept)
  cross join lateral jsonb_populate_record(null::sluice.result, i.task) r
  where i.kept = i.id;
  return v_kept;
end
$$;
