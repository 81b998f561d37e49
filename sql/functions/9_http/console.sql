-- What the console reads, as JSON. Ids are texts, because a browser's numbers have 53 bits.

-- show_overview: sluice.overview as a list, with the spark of each model: how many tasks were
-- solved in each of the last 60 minutes (null: there were none).
create or replace function sluice.show_overview(p_now timestamptz default null) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_sparks jsonb := (select jsonb_object_agg(s.model, s.solved) from sluice.sparks(p_now) s);
begin
  return (select jsonb_build_object('object', 'list', 'data', coalesce(jsonb_agg(
      to_jsonb(o) || jsonb_build_object('spark', v_sparks -> o.model)), '[]'))
    from sluice.overview(p_now) o);
end
$$;

-- task_json: a task for the console.
create or replace function sluice.task_json(p_task sluice.found_task) returns jsonb
language sql stable
as $$
  select to_jsonb(p_task) || jsonb_build_object('id', p_task.id::text, 'batch_id',
    p_task.batch_id::text)
$$;

-- search_tasks: a page of find_tasks.
-- Params:  p_conditions: columns of sluice.search_conditions; p_tenant: the key's, if it has one.
-- Returns: a list with looked_at (null for a tenant's key: it counts others' tasks), next_before
--          and is_complete.
-- Errors:  SL004 those of read_record and find_tasks.
create or replace function sluice.search_tasks(p_conditions jsonb, p_tenant text) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_limit constant int := 50;
  v_conditions sluice.search_conditions := sluice.read_record(null::sluice.search_conditions,
    p_conditions);
  v_page record;
begin
  v_conditions.tenant := coalesce(p_tenant, v_conditions.tenant);
  perform sluice.check_search(v_conditions);
  v_page := sluice.search_ids(v_conditions, coalesce(v_conditions."limit", c_limit));
  return (select jsonb_build_object('object', 'list', 'data',
      coalesce(jsonb_agg(sluice.task_json(f)), '[]'), 'looked_at',
      case when p_tenant is null then v_page.looked_at end,
      'next_before', v_page.next_before::text, 'is_complete', v_page.next_before is null)
    from sluice.found_tasks(v_page.ids) f
    where v_conditions.status is null or f.status = v_conditions.status);
end
$$;

-- show_timeline: a task, its timeline and what explain says of it.
-- Params:  p_tenant: the key's, if it has one: it is not told where the operator keeps traces.
-- Returns: null: there is no such task of that tenant.
create or replace function sluice.show_timeline(
  p_task bigint, p_tenant text, p_now timestamptz default null)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v record;
  v_found sluice.found_task;
  v_trace_id text;
begin
  select t.tenant, t.traceparent into v from sluice.task t where t.id = p_task;
  if v.tenant is null or not sluice.may_act_for(v.tenant) or v.tenant <> p_tenant then
    return null;
  end if;
  select * into v_found from sluice.found_tasks(array[p_task]);
  v_trace_id := substring(v.traceparent from '^[0-9a-f]{2}-([0-9a-f]{32})-');
  return jsonb_build_object('task', sluice.task_json(v_found),
    'events', (select jsonb_agg(to_jsonb(e)) from sluice.timeline(p_task) e),
    'explain', sluice.explain(p_task, p_now), 'trace_id', v_trace_id,
    'trace_url', (select replace(s.trace_url, '{trace_id}', v_trace_id) from sluice.settings s
      where p_tenant is null));
end
$$;

-- audit_reading: notes who reads the texts of a task.
create or replace function sluice.audit_reading(p_task bigint) returns void
language plpgsql volatile
as $$
begin
  perform sluice.note_audit('read_texts', p_task::text);
  -- Their bound is kept without a tick, too: some 1,000 go with every 200 that come.
  perform sluice.forget_audit(clock_timestamp()) where random() < 0.005;
end
$$;

-- note_reading: notes who reads a task with its texts, unless that is the key by which it came: so
-- clients fetch their answers.
-- Params:  p_task: its id; p_api_key: the reader's (null: the front asks for none).
-- Returns: true.
--
-- For GET /v1/tasks/{id} and its events. Does not wait for the disk.
create or replace function sluice.note_reading(p_task bigint, p_api_key text) returns boolean
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  if p_api_key is distinct from (select t.api_key from sluice.task t where t.id = p_task) then
    perform set_config('sluice.api_key', coalesce(p_api_key, ''), true),
      set_config('synchronous_commit', 'off', true);
    perform sluice.audit_reading(p_task);
  end if;
  return true;
end
$$;

-- task_of: sluice.task for a key: no row if it is another tenant's than p_tenant (null: any). That
-- is looked at first: where it is, or how long that took, would tell that it is there, and whether
-- it has ended.
create or replace function sluice.task_of(p_task bigint, p_tenant text)
returns setof sluice.tasks
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  if p_tenant is null or exists (select from sluice.task t where t.id = p_task
      and t.tenant = p_tenant) then
    return query select * from sluice.task(p_task);
  end if;
end
$$;

-- read_texts: the texts of a task, for whoever asks to see them; the audit notes it.
-- Params:  p_tenant: the key's, if it has one; p_now: means nothing any more.
-- Returns: prompt, request, answer and response, together at most 8 MiB: cut names those that are
--          longer. Null: there is no such task of that tenant.
create or replace function sluice.read_texts(
  p_task bigint, p_tenant text, p_now timestamptz default null)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_bytes_max constant bigint := 8388608;
  v_left bigint := c_bytes_max;
  v_task sluice.tasks;
  v_text record;
  v_texts jsonb := '{}';
  v_cut text[] := '{}';
begin
  select * into v_task from sluice.task_of(p_task, p_tenant);
  if not found then
    return null;
  end if;
  for v_text in
    select t.key, t.value from (values (1, 'prompt', v_task.prompt), (2, 'request', v_task.request),
      (3, 'answer', v_task.answer), (4, 'response', v_task.response)) t(n, key, value)
    order by t.n
  loop
    if octet_length(v_text.value) > v_left then
      v_cut := v_cut || v_text.key::text;
      v_text.value := left(v_text.value, (v_left / 4)::int);  -- a character has 4 bytes at most
    end if;
    v_left := v_left - coalesce(octet_length(v_text.value), 0);
    v_texts := v_texts || jsonb_build_object(v_text.key, v_text.value);
  end loop;
  perform sluice.audit_reading(p_task);
  return v_texts || jsonb_build_object('cut', v_cut);
end
$$;

-- show_dead_letter_groups: dead_letter_groups as a list; p_tenant: the key's, if it has one.
-- Params:  p_conditions: model, tenant, since and before of sluice.search_conditions.
-- Errors:  SL004 those of read_record.
create or replace function sluice.show_dead_letter_groups(p_conditions jsonb, p_tenant text)
returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v sluice.search_conditions := sluice.read_record(null::sluice.search_conditions, p_conditions);
  v_found record;
begin
  v_found := sluice.failure_groups(v.model, coalesce(p_tenant, v.tenant), v.since, v.before);
  return (select jsonb_build_object('object', 'list', 'data', coalesce(jsonb_agg(to_jsonb(g)
      || jsonb_build_object('sample_id', g.sample_id::text)), '[]'),
      'looked_at', case when p_tenant is null then v_found.looked_at end,
      'next_before', v_found.next_before::text,
      'is_complete', v_found.next_before is null)
    from unnest(v_found.groups) g);
end
$$;
