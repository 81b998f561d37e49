-- submit_each: accepts tasks that arrived separately in one statement; each is accepted or refused
-- by itself. The HTTP front collects its clients' tasks in it, so that one commit serves many.
-- Params:  bodies: a JSON object each; tenants, keys, traceparents: for each, see
--          sluice.task_of_body; api_keys: the id of the API key by which each came; p_now.
-- Returns: for each place (from 1): the id and the model or route it went to, or SQLSTATE, message
--          and hint of the refusal, and the key at fault, if it is due to one.
-- Errors:  errors that are due to no task (a deadlock, a full disk) are errors of the statement.
-- They are submitted in the order of their keys, so that two servers seldom wait for each other's.
-- Several tasks do not wait long for a lock, such as that of a key: those with keys are then
-- refused with 55P03, or all are, and the front sends each alone.
create or replace function sluice.submit_each(
  bodies text[], tenants text[], keys text[], traceparents text[] default null,
  api_keys text[] default null, p_now timestamptz default null)
returns table (place int, id bigint, model text, code text, message text, hint text, param text)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '20ms'
as $$
#variable_conflict use_column
begin
  if cardinality(submit_each.bodies) = 1 then
    set local lock_timeout = '200ms';
  end if;
  return query
  select r.* from sluice.submit_places(
    array(select t.place::int from unnest(submit_each.keys) with ordinality as t(key, place)
      order by t.key nulls first, t.place),
    submit_each.bodies, submit_each.tenants, submit_each.keys, submit_each.traceparents,
    submit_each.api_keys, statement_timestamp() + sluice.refusals_time(), p_now) r;
end
$$;

-- submit_places: submit_each for these places, in their order, waiting for locks as long as
-- lock_timeout says. As many as may go together: while some are refused fewer and fewer, down to
-- the one to blame, and after that more again. So one at fault among many costs about as much as
-- twice that many, and if all are each is tried once. What is refused leaves nothing behind.
-- Params:  p_until: if some were refused, those that are left then are to be sent alone, as for a
--          lock: others wait for this statement (null: all are tried). What passed before the first
--          refusal does not count.
create or replace function sluice.submit_places(
  p_places int[], p_bodies text[], p_tenants text[], p_keys text[], p_traceparents text[],
  p_api_keys text[], p_until timestamptz, p_now timestamptz)
returns table (place int, id bigint, model text, code text, message text, hint text, param text)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_size int := cardinality(p_places);
  v_group int[];
  v_left int[];  -- the places that are to come alone
  v_until timestamptz;
  v_hint text;
  v_key text;
begin
  while p_places <> '{}' loop
    v_group := p_places[:v_size];
    begin
      return query select v_group[s.n], s.id, s.model, null::text, null::text, null::text,
          null::text
        from sluice.submit_bodies(
          array(select p_bodies[p] from unnest(v_group) with ordinality o(p, n) order by n),
          array(select p_tenants[p] from unnest(v_group) with ordinality o(p, n) order by n),
          array(select p_keys[p] from unnest(v_group) with ordinality o(p, n) order by n),
          array(select p_traceparents[p] from unnest(v_group) with ordinality o(p, n) order by n),
          array(select p_api_keys[p] from unnest(v_group) with ordinality o(p, n) order by n),
          p_now) with ordinality s(id, model, n);
      p_places := p_places[v_size + 1:];
      v_size := 2 * v_size;
      continue;
    exception when others then
      if sqlstate !~ '^(SL|22|23|54|55P03)' then
        raise;
      end if;
      v_until := coalesce(v_until, p_until + (clock_timestamp() - statement_timestamp()));
      v_left := case when sqlstate = '55P03' then coalesce(nullif(
        sluice.places_with('idempotency_key', p_places, p_bodies, p_keys), '{}'), p_places) end;
      v_size := greatest(1, cardinality(v_group) / 4);
      if v_left is null and cardinality(v_group) = 1 then
        get stacked diagnostics v_hint = pg_exception_hint, v_key = column_name;
        return query select v_group[1], null::bigint, null::text, sqlstate::text,
          case when sqlstate = '22P02' then 'the body is not valid JSON'
            else regexp_replace(sqlerrm, '^task 1: ', '') end, v_hint, v_key;
        p_places := p_places[2:];
      end if;
    end;
    if v_left is null and clock_timestamp() > v_until then
      v_left := p_places;
    end if;
    return query select n, null::bigint, null::text, '55P03',
      'an open transaction has locked what this task needs, such as its idempotency key, or '
      'others that came with it took long to refuse', 'Try again when it has ended.', null::text
    from unnest(v_left) n;
    p_places := array(select p from unnest(p_places) with ordinality o(p, n)
      where p <> all (coalesce(v_left, '{}')) order by n);
  end loop;
end
$$;

-- refusals_time: how long a statement of submit_each looks for those to blame.
create or replace function sluice.refusals_time() returns interval
language sql immutable parallel safe
as $$ select interval '50 ms' $$;

-- places_with: those of the places whose body has a key, or for which p_values has its value. All,
-- if one cannot be read, for nobody knows.
create or replace function sluice.places_with(
  p_key text, p_places int[], p_bodies text[], p_values text[])
returns int[]
language plpgsql immutable
as $$
begin
  return array(select p from unnest(p_places) with ordinality o(p, n)
    where coalesce(p_values[p], p_bodies[p]::jsonb ->> p_key) is not null order by n);
exception when data_exception or program_limit_exceeded or statement_too_complex then
  return p_places;
end
$$;

-- submit_bodies: submit_many for tasks that clients of the HTTP front sent: all or none, and none
-- at critical pressure. A task that repeats an earlier one is accepted even then: its client did
-- not get the answer.
-- Params:  for each, see sluice.task_of_body and submit_each.
-- Returns: for each the id, and the model or route it went to.
-- Errors:  as submit_many.
create or replace function sluice.submit_bodies(
  p_bodies text[], p_tenants text[], p_keys text[], p_traceparents text[], p_api_keys text[],
  p_now timestamptz)
returns table (id bigint, model text)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_now timestamptz := case when p_now is null then clock_timestamp()
    else sluice.now_for(p_now) end;
  v_default text := sluice.default_model();
  v_drafts sluice.task_draft[] := sluice.read_drafts(
    sluice.tasks_of_bodies(p_bodies, p_tenants, p_keys, p_traceparents), v_now);
  v_ids bigint[] := sluice.submit_drafts(v_drafts, null, p_api_keys, sluice.critical_share(),
    v_now);
begin
  return query select v_ids[d.ordinality], coalesce(d.model, v_default)
    from unnest(v_drafts) with ordinality d;
end
$$;

-- task_of_body: one element of submit_many from a JSON object that a client sent.
-- Params:  p_body: keys as submit's arguments, but priority may be "hot" (50) or "cold" (0), and
--          request an object, which is taken verbatim; p_tenant: the task's (null: as the body
--          says); p_key: its idempotency key (null: as the body says); p_traceparent: its
--          traceparent, unless the body has one. With api, the model is the one that the request
--          names, or the default, and must speak it.
-- Errors:  SL001 another api; SL004 two different keys; SL009 another tenant's; 22P02 no JSON;
--          54001 too deep.
create or replace function sluice.task_of_body(
  p_body text, p_tenant text, p_key text, p_traceparent text default null)
returns jsonb
language plpgsql stable
as $$
declare
  v_task jsonb := p_body;
begin
  if jsonb_typeof(v_task) <> 'object' then
    return v_task;  -- submit_many says what is wrong
  end if;
  if v_task ? 'api' then
    perform sluice.require_api(coalesce(v_task #>> '{request,model}', sluice.default_model()),
      v_task ->> 'api');
    v_task := v_task - 'api' || jsonb_build_object('model', v_task #>> '{request,model}');
  end if;
  if jsonb_typeof(v_task -> 'request') = 'object' then
    v_task := v_task || jsonb_build_object('request', (p_body::json -> 'request')::text);
  end if;
  if v_task ->> 'priority' in ('hot', 'cold') then
    v_task := v_task
      || jsonb_build_object('priority', case v_task ->> 'priority' when 'hot' then 50 else 0 end);
  end if;
  if p_tenant <> v_task ->> 'tenant' then
    raise exception 'not this key''s tenant: "%"', left(v_task ->> 'tenant', 200)
      using errcode = 'SL009', column = 'tenant',
      hint = 'Leave it out: the key says whose task it is.';
  elsif p_key <> v_task ->> 'idempotency_key' then
    raise exception 'the header Idempotency-Key and the body''s idempotency_key differ'
      using errcode = 'SL004', column = 'idempotency_key', hint = 'Use one of them.';
  end if;
  return jsonb_strip_nulls(jsonb_build_object('traceparent', p_traceparent)) || v_task
    || jsonb_strip_nulls(jsonb_build_object('tenant', p_tenant, 'idempotency_key', p_key));
end
$$;

-- tasks_of_bodies: task_of_body for many, as the array that submit_many takes. It is built from an
-- SQL array, because jsonb_agg takes time with the square of an object's keys (for 200,000 of them
-- 3.2 s instead of 40 ms).
create or replace function sluice.tasks_of_bodies(
  p_bodies text[], p_tenants text[], p_keys text[], p_traceparents text[])
returns jsonb
language plpgsql stable
as $$
begin
  return (
    select jsonb_build_array(variadic array_agg(b.task order by b.n))
    from (select sluice.task_of_body(t.body, t.tenant, t.key, t.traceparent) as task, t.n
      from unnest(p_bodies, p_tenants, p_keys, p_traceparents) with ordinality as t(body, tenant,
        key, traceparent, n) offset 0) b);
end
$$;

-- sent_items: the elements of an array of tasks that a client sent, byte for byte.
-- Errors:  SL004 none, or more than 10,000.
create or replace function sluice.sent_items(p_body text) returns json[]
language plpgsql immutable
as $$
declare
  v_items json := p_body;
begin
  if json_array_length(v_items) not between 1 and 10000 then
    raise exception 'an array of % tasks', json_array_length(v_items) using errcode = 'SL004',
      hint = 'Send 1 to 10000 at a time.';
  end if;
  return array(select t.item from json_array_elements(v_items) with ordinality t(item, n)
    order by t.n);
end
$$;

-- submit_array: submit_many for a JSON array that a client sent: all or none.
-- Params:  body: an array of at most 10,000 tasks, each as in sluice.task_of_body; tenant: the
--          tasks' (null: as they say); key: their idempotency key, each task's being key/1, key/2
--          …; traceparent: for tasks without their own; api_key: the id of the API key by which
--          they came; p_now.
-- Returns: the ids, and the model or route that each went to, in the order of the array.
-- Errors:  as submit_many.
create or replace function sluice.submit_array(
  body text, tenant text, key text, traceparent text default null, api_key text default null,
  p_now timestamptz default null)
returns table (id bigint, model text)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '200ms'
as $$
#variable_conflict use_column
declare
  v_items json[] := sluice.sent_items(submit_array.body);
  v_count int[] := array[cardinality(v_items)];
begin
  return query select s.id, s.model from sluice.submit_bodies(v_items::text[],
    array_fill(submit_array.tenant, v_count),
    array(select submit_array.key || '/' || n from generate_subscripts(v_items, 1) n),
    array_fill(submit_array.traceparent, v_count), array_fill(submit_array.api_key, v_count),
    p_now) s;
end
$$;
