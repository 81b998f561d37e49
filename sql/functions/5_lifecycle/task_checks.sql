-- Checks of a task: its arguments, its request, the model or route that it names.

-- fault: the name of the first argument that makes a task unsolvable; null: there is none. It is
-- one expression, so that submit_many checks thousands of tasks in one statement: 1 us a task
-- instead of 15. Texts that travel with a claim, or as a header, must be small and without line
-- breaks. Keys of import (import_key) are for those who may import: a tenant with one of them could
-- have a page of everybody's tasks refused.
-- twin: rank_max (change all alike)
create or replace function sluice.fault(
  p_prompt text, p_request text, p_priority int, p_max_attempts int, p_max_output_tokens int,
  p_metadata jsonb, p_tenant text,
  p_idempotency_key text, p_traceparent text, p_deadline timestamptz, p_bytes_max int,
    p_now timestamptz)
returns text
language sql stable   -- as is_small_json is: else it could not be inlined
as $$
  select case
    when (p_prompt is null) = (p_request is null) or p_prompt = '' then 'prompt'
    when octet_length(coalesce(p_prompt, p_request)) > p_bytes_max then 'bytes'
    when p_priority is null or p_priority not between -100 and 100 then 'priority'
    when p_max_attempts not between 1 and 100 then 'max_attempts'
    when p_max_output_tokens < 1 then 'max_output_tokens'
    when jsonb_typeof(p_metadata) <> 'object'
      or not sluice.is_small_json(p_metadata, 65536) then 'metadata'
    when p_tenant is null or length(p_tenant) not between 1 and 200 then 'tenant'
    when length(p_idempotency_key) not between 1 and 1000
      -- not null, or each task without a key would ask who calls
      or coalesce(p_idempotency_key ^@ 'sluice import ', false)
        and not sluice.acts_as_administrator() then 'idempotency_key'
    when p_traceparent !~ '^[!-~]{1,200}$' then 'traceparent'
    when p_deadline <= p_now then 'deadline'
  end
$$;

-- is_plain: whether only a prompt, a priority and a tenant are given, and fault() would find
-- nothing wrong except perhaps the tenant. submit checks this first, because each transaction sets
-- an expression up anew: 16,000 instructions instead of 52,000.
-- Params:  p_bytes: of the prompt or request.
-- twin: rank_max
create or replace function sluice.is_plain(
  p_bytes int, p_request text, p_priority int, p_max_attempts int, p_max_output_tokens int,
  p_metadata jsonb, p_idempotency_key text, p_traceparent text, p_deadline timestamptz,
  p_bytes_max int)
returns boolean
language sql immutable
as $$
  select p_request is null and p_max_attempts is null and p_max_output_tokens is null
    and p_metadata is null
    and p_idempotency_key is null and p_traceparent is null and p_deadline is null
    and p_bytes between 1 and p_bytes_max and p_priority between -100 and 100
$$;

-- task_is_kept: whether a task still is; retention takes its idempotency key after it.
create or replace function sluice.task_is_kept(p_id bigint) returns boolean
language sql stable
as $$
  select p_id >= (select min(r.first_id) from sluice.id_range r)
    or exists (select from sluice.task t where t.id = p_id)
$$;

-- is_bound: whether the idempotency key p_key of p_tenant was used before for a task that is still
-- there, as far as the caller may know: it is asked before require_tenant is, and what it says
-- changes what is refused. Nor does it look for others' keys: each session sees how many rows its
-- statements fetched.
create or replace function sluice.is_bound(p_tenant text, p_key text) returns boolean
language sql stable
as $$
  select case when sluice.may_act_for(p_tenant) then exists (
    select from sluice.idempotency i where i.tenant = p_tenant
      and i.key_sha256 = sha256(convert_to(p_key, 'UTF8')) and sluice.task_is_kept(i.task_id))
    else false end
$$;

-- check_task: refuses a task that can never be solved, with a message that names the value.
-- Params:  those of sluice.submit; p_bytes_max: settings.request_bytes_max.
-- Errors:  SL004 invalid arguments, SL007 too large; COLUMN is the argument at fault. (The server
--          itself refuses NUL and invalid UTF-8, with 22021 and 22P05.)
-- twin: rank_max
create or replace function sluice.check_task(
  p_prompt text, p_request text, p_priority int, p_max_attempts int, p_max_output_tokens int,
  p_metadata jsonb, p_tenant text,
  p_idempotency_key text, p_traceparent text, p_deadline timestamptz, p_bytes_max int,
    p_now timestamptz)
returns void
language plpgsql stable
as $$
declare
  v_fault text := sluice.fault(p_prompt, p_request, p_priority, p_max_attempts, p_max_output_tokens,
    p_metadata, p_tenant, p_idempotency_key, p_traceparent, p_deadline, p_bytes_max, p_now);
  v_message text;
  v_hint text;
begin
  -- A submit that is repeated finds its task also when the deadline has passed meanwhile.
  if v_fault is null or v_fault = 'deadline' and sluice.is_bound(p_tenant, p_idempotency_key) then
    if p_request is not null then
      perform sluice.check_request(p_request);
    end if;
    return;
  elsif v_fault = 'bytes' then
    raise exception 'the task has % bytes, more than request_bytes_max = %',
      octet_length(coalesce(p_prompt, p_request)),
      p_bytes_max using errcode = 'SL007', column = case when p_prompt is null then 'request'
        else 'prompt' end,
      hint = 'Shorten it, or raise sluice.settings.request_bytes_max.';
  end if;
  select m.message, m.hint into v_message, v_hint from (values
    ('prompt', case when p_prompt = '' and p_request is null then 'prompt is empty'
       else 'exactly one of prompt and request must be given' end,
     'prompt is plain text for the model; request is a verbatim JSON body.'),
    ('priority', format('priority %s is not between -100 and 100',
      coalesce(p_priority::text, '<NULL>')),
     'Higher comes first; 0 is the default.'),
    ('max_attempts', format('max_attempts %s is not between 1 and 100', p_max_attempts),
      'Leave it out to use the model''s.'),
    ('max_output_tokens', format('max_output_tokens %s is not positive', p_max_output_tokens),
     'Leave it out to use the model''s own limit.'),
    ('metadata', case when jsonb_typeof(p_metadata) <> 'object'
       then format('metadata is a JSON %s, not an object', jsonb_typeof(p_metadata))
       else 'metadata has more than 64 KiB, or a number of more than 400 digits' end,
     'Metadata is a set of key and value pairs, such as {"team": "search"}.'),
    ('tenant', 'tenant must have 1 to 200 characters', 'Leave it out for the tenant "default".'),
    ('idempotency_key', case when p_idempotency_key ^@ 'sluice import '
       then 'an idempotency_key that begins with "sluice import " is for administrators'
       else 'idempotency_key must have 1 to 1000 characters' end, 'A hash or a UUID is plenty.'),
    ('traceparent', 'traceparent must have 1 to 200 printable ASCII characters without spaces',
     'It is sent along as a header: https://www.w3.org/TR/trace-context.'),
    ('deadline', format('deadline %s is past: it is %s', to_json(p_deadline), to_json(p_now)),
      'The task must begin before it. Leave it out for none.')
  ) m(fault, message, hint) where m.fault = v_fault;
  raise exception '%', v_message using errcode = 'SL004', column = v_fault, hint = v_hint;
end
$$;

-- check_affinity_key: SL004 unless it is null, or its length is within bounds.
create or replace function sluice.check_affinity_key(p_key text) returns void
language plpgsql immutable
as $$
begin
  if length(p_key) not between 1 and 200 then
    raise exception 'affinity_key must have 1 to 200 characters' using errcode = 'SL004',
      column = 'affinity_key', hint = 'The id of a conversation, or the name of a template.';
  end if;
end
$$;

-- check_times: SL004 if a task would expire before it may begin, unless it repeats an earlier one.
create or replace function sluice.check_times(
  p_run_at timestamptz, p_deadline timestamptz, p_tenant text, p_idempotency_key text)
returns void
language plpgsql stable
as $$
begin
  if p_deadline <= p_run_at and not sluice.is_bound(p_tenant, p_idempotency_key) then
    raise exception 'deadline % is not after run_at %', to_json(p_deadline), to_json(p_run_at)
      using errcode = 'SL004', column = 'deadline',
      hint = 'The task may not begin before run_at, and must begin before its deadline.';
  end if;
end
$$;

-- check_request: SL004 unless p_request is one JSON object. PostgreSQL's own json decides: it
-- bounds the depth and keeps numbers beyond double verbatim.
create or replace function sluice.check_request(p_request text) returns void
language plpgsql immutable
as $$
begin
  if json_typeof(p_request::json) <> 'object' then
    raise exception 'request is a JSON %, not an object', json_typeof(p_request::json)
      using errcode = 'SL004', column = 'request',
      hint = 'It is sent to the backend as the body, with only the model''s name replaced.';
  end if;
exception when invalid_text_representation or statement_too_complex then
  raise exception 'request is not valid JSON' using errcode = 'SL004', column = 'request',
    detail = sqlerrm,
    hint = 'It is sent to the backend as the body, with only the model''s name replaced.';
end
$$;

-- default_model: where a task without a model goes; null: it is refused.
create or replace function sluice.default_model() returns text
language plpgsql stable
as $$
begin
  return (select s.default_model from sluice.settings s);
end
$$;

-- refuse_unknown: raises SL001: neither a model nor a route is called p_name.
-- Params:  p_column: the argument or column that named it.
create or replace function sluice.refuse_unknown(p_name text, p_column text default 'model')
returns void
language plpgsql stable
as $$
begin
  raise exception 'there is no model or route "%"', left(p_name, 200) using errcode = 'SL001',
    column = p_column,
    hint = case when p_name = 'any'
      then 'Insert a model into sluice.models; it joins route "any" by itself.'
                else sluice.names_text() end;
end
$$;

-- route_api: the api of the models of route p_name, which a verbatim request must fit; null for a
-- prompt, which fits all.
-- Params:  p_name: null: the task names none, and there is no settings.default_model.
-- Errors:  SL001 unknown route, a route without models; for a verbatim request also models of
--          several APIs.
create or replace function sluice.route_api(p_name text, p_verbatim boolean) returns text
language plpgsql volatile
as $$
declare
  v_apis text := (select string_agg(distinct m.api, ', ') from sluice.routes r
    join sluice.models m on m.name = r.model
                  where r.route = p_name);
begin
  if p_name is null then
    raise exception 'the task names no model, and there is no default' using errcode = 'SL001',
      column = 'model',
      hint = coalesce('Name one of ' || substring(sluice.names_text() from '^Known are (.*)[.]$'),
          rtrim(sluice.names_text(), '.') || '; then name it')
        || ', or set a default: update sluice.settings set default_model = ''any''.';
  elsif v_apis is null then
    perform sluice.refuse_unknown(p_name);
  elsif p_verbatim and v_apis like '%, %' then
    raise exception
      'route "%" has models of several APIs (%), and a verbatim request fits only one',
      p_name, v_apis
      using errcode = 'SL001', column = 'model',
        hint = 'Name a model, or a route whose models speak one api.';
  end if;
  return case when p_verbatim then v_apis end;
end
$$;

-- target: the model or route that the model argument of a submit means.
-- Params:  p_verbatim: the task has a verbatim request.
-- Returns: id: of the model; or route, and api: as route_api.
-- Errors:  SL001: as route_api.
create or replace function sluice.target(
  p_name text, p_verbatim boolean, out route text, out id int, out api text)
language plpgsql volatile
as $$
begin
  target.id := (select m.id from sluice.models m where m.name = p_name);
  if target.id is null then
    target.route := p_name;
    target.api := sluice.route_api(p_name, p_verbatim);
  end if;
end
$$;

-- refuse_deleted: SL001.
create or replace function sluice.refuse_deleted() returns void
language plpgsql stable
as $$
begin
  raise exception 'the model was deleted while this task was being submitted'
    using errcode = 'SL001', column = 'model', hint = sluice.names_text();
end
$$;
