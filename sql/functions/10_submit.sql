-- fault: the first argument of a task that could never be solved, by its name; null: none is at fault. One expression, so
-- that submit_many asks it of thousands in one statement: 15 -> 1 us a task. What travels with a claim, and as a header,
-- is small and has no line breaks.
-- Rejected: check constraints on sluice.task. Each statement parses them anew from the catalog: a seventh of a submit.
create or replace function sluice.fault(
  p_prompt text, p_request text, p_priority int, p_max_attempts int, p_max_output_tokens int, p_metadata jsonb, p_tenant text,
  p_idempotency_key text, p_traceparent text, p_deadline timestamptz, p_bytes_max int, p_now timestamptz) returns text
language sql stable   -- as is_small_json is: else it could not be inlined
as $$
  select case
    when (p_prompt is null) = (p_request is null) or p_prompt = '' then 'prompt'
    when octet_length(coalesce(p_prompt, p_request)) > p_bytes_max then 'bytes'
    when p_priority is null or p_priority not between -100 and 100 then 'priority'
    when p_max_attempts not between 1 and 100 then 'max_attempts'
    when p_max_output_tokens < 1 then 'max_output_tokens'
    when jsonb_typeof(p_metadata) <> 'object' or not sluice.is_small_json(p_metadata, 65536) then 'metadata'
    when p_tenant is null or length(p_tenant) not between 1 and 200 then 'tenant'
    when length(p_idempotency_key) not between 1 and 1000 then 'idempotency_key'
    when p_traceparent !~ '^[!-~]{1,200}$' then 'traceparent'
    when p_deadline <= p_now then 'deadline'
  end
$$;

-- is_plain: whether nothing is given but a prompt, a priority and a tenant, and fault() would fault none but the tenant. submit asks
-- this first, for an expression is set up anew in every transaction: 52,000 -> 16,000 instructions. Params: p_bytes: of the prompt or
-- request.
create or replace function sluice.is_plain(
  p_bytes int, p_request text, p_priority int, p_max_attempts int, p_max_output_tokens int, p_metadata jsonb,
  p_idempotency_key text, p_traceparent text, p_deadline timestamptz, p_bytes_max int) returns boolean
language sql immutable
as $$
  select p_request is null and p_max_attempts is null and p_max_output_tokens is null and p_metadata is null
    and p_idempotency_key is null and p_traceparent is null and p_deadline is null
    and p_bytes between 1 and p_bytes_max and p_priority between -100 and 100
$$;

-- is_bound: whether the idempotency key p_key of p_tenant was used before.
create or replace function sluice.is_bound(p_tenant text, p_key text) returns boolean
language sql stable
as $$
  select exists (select from sluice.idempotency i where i.tenant = p_tenant and i.key_sha256 = sha256(convert_to(p_key, 'UTF8')))
$$;

-- check_task: refuses a task that could never be solved, with a message that names the value.
-- Params: those of sluice.submit; p_bytes_max: settings.request_bytes_max.
-- Errors: SL004 invalid arguments, SL007 too large; COLUMN is the argument at fault. (NUL and invalid UTF-8 never get here: the
-- server refuses them, 22021 and 22P05.)
create or replace function sluice.check_task(
  p_prompt text, p_request text, p_priority int, p_max_attempts int, p_max_output_tokens int, p_metadata jsonb, p_tenant text,
  p_idempotency_key text, p_traceparent text, p_deadline timestamptz, p_bytes_max int, p_now timestamptz) returns void
language plpgsql stable
as $$
declare
  v_fault text := sluice.fault(p_prompt, p_request, p_priority, p_max_attempts, p_max_output_tokens, p_metadata, p_tenant,
    p_idempotency_key, p_traceparent, p_deadline, p_bytes_max, p_now);
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
    raise exception 'the task has % bytes, more than request_bytes_max = %', octet_length(coalesce(p_prompt, p_request)),
      p_bytes_max using errcode = 'SL007', column = case when p_prompt is null then 'request' else 'prompt' end,
      hint = 'Shorten it, or raise sluice.settings.request_bytes_max.';
  end if;
  select m.message, m.hint into v_message, v_hint from (values
    ('prompt', case when p_prompt = '' and p_request is null then 'prompt is empty'
       else 'exactly one of prompt and request must be given' end,
     'prompt is plain text for the model; request is a verbatim JSON body.'),
    ('priority', format('priority %s is not between -100 and 100', coalesce(p_priority::text, '<NULL>')),
     'Higher comes first; 0 is the default.'),
    ('max_attempts', format('max_attempts %s is not between 1 and 100', p_max_attempts), 'Leave it out to use the model''s.'),
    ('max_output_tokens', format('max_output_tokens %s is not positive', p_max_output_tokens),
     'Leave it out to use the model''s own limit.'),
    ('metadata', case when jsonb_typeof(p_metadata) <> 'object'
       then format('metadata is a JSON %s, not an object', jsonb_typeof(p_metadata))
       else 'metadata has more than 64 KiB, or a number of more than 400 digits' end,
     'Metadata is a set of key and value pairs, such as {"team": "search"}.'),
    ('tenant', 'tenant must have 1 to 200 characters', 'Leave it out for the tenant "default".'),
    ('idempotency_key', 'idempotency_key must have 1 to 1000 characters', 'A hash or a UUID is plenty.'),
    ('traceparent', 'traceparent must have 1 to 200 printable ASCII characters without spaces',
     'It is sent along as a header: https://www.w3.org/TR/trace-context.'),
    ('deadline', format('deadline %s is past', to_json(p_deadline)), 'The task must begin before it. Leave it out for none.')
  ) m(fault, message, hint) where m.fault = v_fault;
  raise exception '%', v_message using errcode = 'SL004', column = v_fault, hint = v_hint;
end
$$;

-- check_request: SL004 unless p_request is one JSON object. PostgreSQL's own json is the judge: it bounds the depth and
-- keeps numbers beyond double verbatim.
create or replace function sluice.check_request(p_request text) returns void
language plpgsql immutable
as $$
begin
  if json_typeof(p_request::json) <> 'object' then
    raise exception 'request is a JSON %, not an object', json_typeof(p_request::json) using errcode = 'SL004', column = 'request',
      hint = 'It is sent to the backend as the body, with only the model''s name replaced.';
  end if;
exception when invalid_text_representation or statement_too_complex then
  raise exception 'request is not valid JSON' using errcode = 'SL004', column = 'request', detail = sqlerrm,
    hint = 'It is sent to the backend as the body, with only the model''s name replaced.';
end
$$;

-- default_model: what a task without a model goes to; null: nothing.
create or replace function sluice.default_model() returns text
language plpgsql stable
as $$
begin
  return (select s.default_model from sluice.settings s);
end
$$;

-- names_text: which models and routes there are, for whoever named none of them: the first 20, each cut at 50 characters.
create or replace function sluice.names_text() returns text
language plpgsql stable
as $$
declare
  v_names text[] := array(
    select left(n.name, 50) from (select name from sluice.models union select route from sluice.routes) n order by n.name);
begin
  return case when v_names = '{}' then 'There are no models yet: insert one into sluice.models.'
    else 'There are ' || array_to_string(v_names[:20], ', ')
      || case when cardinality(v_names) > 20 then format(' and %s more', cardinality(v_names) - 20) else '' end || '.' end;
end
$$;

-- refuse_unknown: SL001: neither a model nor a route is called p_name. Params: p_column: the argument, or the column, that named it.
create or replace function sluice.refuse_unknown(p_name text, p_column text default 'model') returns void
language plpgsql stable
as $$
begin
  raise exception 'there is no model or route "%"', left(p_name, 200) using errcode = 'SL001', column = p_column,
    hint = case when p_name = 'any' then 'Insert a model into sluice.models; it joins route "any" by itself.'
                else sluice.names_text() end;
end
$$;

-- route_api: what the models of route p_name speak, which a verbatim request must fit; null for a prompt, which fits all.
-- Params:  p_name: null: the task names none, and there is no settings.default_model.
-- Errors:  SL001 unknown route, a route without models; of a verbatim request also: models of several APIs.
create or replace function sluice.route_api(p_name text, p_verbatim boolean) returns text
language plpgsql volatile
as $$
declare
  v_apis text := (select string_agg(distinct m.api, ', ') from sluice.routes r join sluice.models m on m.name = r.model
                  where r.route = p_name);
begin
  if p_name is null then
    raise exception 'the task names no model, and there is no default' using errcode = 'SL001', column = 'model',
      hint = sluice.names_text() || ' Name one, or set sluice.settings.default_model.';
  elsif v_apis is null then
    perform sluice.refuse_unknown(p_name);
  elsif p_verbatim and v_apis like '%, %' then
    raise exception 'route "%" has models of several APIs (%), and a verbatim request fits only one', p_name, v_apis
      using errcode = 'SL001', column = 'model', hint = 'Name a model, or a route whose models speak one api.';
  end if;
  return case when p_verbatim then v_apis end;
end
$$;

-- target: what the model argument of a submit means: a model, or a route.
-- Params:  p_name; p_verbatim: the task has a verbatim request.
-- Returns: id: of a named model; or route, and api: as route_api.
-- Errors:  SL001: as route_api.
create or replace function sluice.target(p_name text, p_verbatim boolean, out route text, out id int, out api text)
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

-- keep_key: binds an idempotency key to a task id, unless it is bound already.
-- Returns: p_task_id if the key is new, else the id it was bound to with the same content.
-- Params:  p_element: its number in a submit_many, for the message.
-- Errors:  SL008 bound to other content. Waits for an open first submit of the same key.
create or replace function sluice.keep_key(
  p_tenant text, p_key text, p_content bytea, p_task_id bigint, p_element bigint default null) returns bigint
language plpgsql volatile
as $$
declare
  v_key bytea := sha256(convert_to(p_key, 'UTF8'));
  v_bound sluice.idempotency;
begin
  loop
    insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
    values (p_tenant, v_key, p_task_id, p_content) on conflict do nothing;
    if found then
      return p_task_id;
    end if;
    select * into v_bound from sluice.idempotency where tenant = p_tenant and key_sha256 = v_key;
    exit when v_bound.task_id >= (select min(first_id) from sluice.id_range)
           or exists (select from sluice.task where id = v_bound.task_id);
    -- Retention took the task, and its key is to follow (86_retention.sql).
    delete from sluice.idempotency where tenant = p_tenant and key_sha256 = v_key and task_id = v_bound.task_id;
  end loop;
  if v_bound.content_sha256 <> p_content then
    raise exception '%idempotency key already used by task % with other content',
      coalesce('task ' || p_element || ': ', ''), v_bound.task_id
      using errcode = 'SL008', column = 'idempotency_key', hint = 'Use a new key for a new task.';
  end if;
  return v_bound.task_id;
end
$$;

-- content_sha256: what two submits with one idempotency key must agree in. p_target: the model or route as it was named, null for
-- none: the default may change before the repeat.
create or replace function sluice.content_sha256(
  p_target text, p_prompt text, p_request text, p_max_output_tokens int) returns bytea
language sql immutable
as $$
  select sha256(convert_to(
    jsonb_build_array(p_target, p_prompt, p_request, p_max_output_tokens)::text, 'UTF8'))
$$;

-- refuse_deleted: SL001.
create or replace function sluice.refuse_deleted() returns void
language plpgsql stable
as $$
begin
  raise exception 'the model was deleted while this task was being submitted' using errcode = 'SL001', column = 'model',
    hint = sluice.names_text();
end
$$;

-- admit_closely: what a submit is seldom asked: all that is not plain, and what holds where tenants or models have bounds.
-- Params:  p_draft: the task; p_id: its id; p_name: its model or route, the default filled in; p_routed: it is no model; p_limited: tokens
--          a minute may be; p_bounded: its tenant may have limits, also without a row; p_now.
-- Returns: p_id, or the id to which its idempotency key was bound before. It has taken its tenant's room.
-- Errors:  as submit.
create or replace function sluice.admit_closely(
  p_draft sluice.draft, p_id bigint, p_name text, p_routed boolean, p_limited boolean, p_bounded boolean,
  p_now timestamptz) returns bigint
language plpgsql volatile
as $$
declare
  v_gate sluice.gate;
  v_bound bigint;
  v_limits sluice.tenant_limits;
begin
  select * into v_gate from sluice.gate;
  perform sluice.check_task(p_draft.prompt, p_draft.request, p_draft.priority, p_draft.max_attempts, p_draft.max_output_tokens,
    p_draft.metadata, p_draft.tenant, p_draft.idempotency_key, p_draft.traceparent, p_draft.deadline, v_gate.request_bytes_max, p_now);
  if v_gate.is_guarded and sluice.is_guarded() then
    perform sluice.require_tenant(p_draft.tenant);
  end if;
  if v_gate.has_tenants and not p_bounded then
    p_bounded := exists (select from sluice.tenants t where t.name = p_draft.tenant);
  end if;
  if p_bounded then
    v_limits := (select l from sluice.limits_of(p_draft.tenant) l);
  end if;
  -- Before the default and the limits count: a repeat finds its task, whatever has become of them.
  if p_draft.idempotency_key is not null then
    v_bound := sluice.keep_key(p_draft.tenant, p_draft.idempotency_key, sluice.content_sha256(
      p_draft.model, p_draft.prompt, p_draft.request, p_draft.max_output_tokens), p_id);
    if v_bound <> p_id then
      return v_bound;
    end if;
  end if;
  if v_limits.max_priority < p_draft.priority or p_name <> all (v_limits.models) then
    perform sluice.refuse_excess(p_draft.tenant, p_draft.priority, p_name);
  end if;
  if p_routed then
    perform sluice.route_api(p_name, p_draft.request is not null);
  end if;
  if p_limited or v_limits.tpm is not null then
    perform sluice.check_fits(p_name, p_draft.tenant, octet_length(coalesce(p_draft.prompt, p_draft.request)), p_draft.max_output_tokens);
  end if;
  if p_bounded then
    perform sluice.take_tenants_room(p_draft.tenant, 1, v_limits, p_now);
  end if;
  return p_id;
end
$$;

-- take_tenants_room: takes room for p_tasks new tasks of a tenant, who is noted if he is new. Errors: SL005, SL009.
create or replace function sluice.take_tenants_room(p_tenant text, p_tasks int, p_limits sluice.tenant_limits, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  if not p_limits.is_listed then
    perform sluice.note_tenants(array[p_tenant]);
  end if;
  if p_limits.is_full then
    perform sluice.refuse_full_tenant(p_tenant);
  elsif p_limits.max_unfinished is not null then
    perform sluice.accept('tenant', p_tenant, p_tasks, p_limits.max_unfinished, 1, p_now);
  end if;
end
$$;

-- submit: accepts one task.
-- Stage:   10, the first of a task's life. Called by users, inside their own transactions if they like.
-- Params:  prompt or request: exactly one; model: a model's or a route's name (null: settings.default_model);
--          priority -100 to 100, higher first; run_at: not before; deadline: not after; the others as their names say.
-- Returns: the task's id; with an idempotency key used before, the first task's id.
-- Places:  its model's or route's line, ready for any claim; with a run_at to come aside until then.
--          What bounds are there is drawn from gauges, sequences, for counting halves the rate of submits.
-- Errors:  SL001, SL002, SL003, SL004, SL005, SL007, SL008, SL009.
-- In every transaction each operator and function of an expression is set up anew, for 2,500 instructions, an if costs 1,500, a statement
-- 15,000: what is seldom of use stands together in one if. DECISIONS.md says where they go.
create or replace function sluice.submit(
  prompt text default null, model text default null, priority int default 0, tenant text default 'default',
  run_at timestamptz default null, deadline timestamptz default null, idempotency_key text default null,
  max_attempts int default null, request text default null, max_output_tokens int default null,
  metadata jsonb default null, batch_id bigint default null, traceparent text default null,
  p_now timestamptz default null) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_id bigint := nextval('sluice.task_id');
  v_bound bigint;
  v_name text := submit.model;
  v_route text;
  v_line record;      -- the model, or the route's line for prompts
  v_gate record;
  v_later boolean;
  v_api text;
begin
  if p_now is not null then
    v_now := sluice.now_for(p_now);
  end if;
  if v_name is null then
    v_name := sluice.default_model();
  end if;
  -- awake: nobody sleeps on the line's bell, and until this transaction ends nobody can. Two statements, for their join costs more.
  select m.id as model, m.id as line, m.max_queue, m.max_unfinished, m.tpm is not null as limited, 'sluice.add_' || m.id as add,
    pg_try_advisory_xact_lock_shared(sluice.lock_class('bell'), m.id % 64) as awake
  into v_line from sluice.models m where m.name = v_name;
  if v_line.model is null then
    v_route := v_name;
    select null::int as model, -l.n as line, null::int as max_queue, null::bigint as max_unfinished,
      r.route is null or g.limits_tokens as limited,
      'sluice.add_route_' || l.n as add, pg_try_advisory_xact_lock_shared(sluice.lock_class('bell'), l.n % 64) as awake
    into v_line from sluice.gate g left join sluice.route_line l on l.route = v_route and l.api is null
    left join lateral (select r.route from sluice.routes r where r.route = v_route limit 1) r on true;
  end if;
  -- known: the tenant's name is good, and it has no limits without a row; quiet: nobody need be told, as ring would find it.
  select g.max_unfinished, g.full_at, g.look_from, octet_length(coalesce(submit.prompt, submit.request)) as bytes,
    submit.tenant = 'default' or not g.bounds_others and g.counts_others
      and exists (select from sluice.unlisted_tenant u where u.tenant = submit.tenant) as known,
    not (g.is_guarded or g.has_tenants or v_line.limited)
      and sluice.is_plain(octet_length(submit.prompt), submit.request, submit.priority, submit.max_attempts, submit.max_output_tokens,
        submit.metadata, submit.idempotency_key, submit.traceparent, submit.deadline, g.request_bytes_max) as plain,
    v_id < g.look_from and submit.run_at is null and v_line.max_unfinished is null and (v_route is null or not g.bounds_models) as usual,
    v_line.awake and current_setting('transaction_isolation') = 'read committed'
      and exists (select from sluice.rung where line = v_line.line) as quiet
  into v_gate from sluice.gate g;
  if (v_gate.known and v_gate.plain) is not true then
    v_bound := sluice.admit_closely(row(submit.prompt, submit.model, submit.priority, submit.tenant, submit.run_at, submit.deadline,
      submit.idempotency_key, submit.max_attempts, submit.request, submit.max_output_tokens, submit.metadata, submit.batch_id,
      submit.traceparent)::sluice.draft, v_id, v_name, v_line.model is null, v_line.limited, not v_gate.known, v_now);
    if v_bound <> v_id then
      return v_bound;
    elsif v_route is not null and submit.request is not null then
      v_api := sluice.route_api(v_route, true);
      v_line.line := sluice.line_of(null, v_route, v_api);
      v_line.add := 'sluice.add_' || sluice.line_name(v_line.line);
      v_gate.quiet := false;  -- that is another line
    end if;
  end if;
  if nextval('sluice.load_all') > v_gate.max_unfinished then
    perform sluice.accept('system', null, 1, v_gate.max_unfinished, 1, v_now);
  end if;
  if v_gate.usual is not true then
    v_later := submit.run_at > v_now;
    if v_id >= v_gate.look_from then
      perform sluice.require_range(v_id);
    end if;
    if v_line.max_unfinished is not null then
      v_gate.full_at := ceil(sluice.overflow_share() * v_line.max_unfinished);
    elsif v_route is not null and (select g.bounds_models from sluice.gate g) then
      v_line.max_queue := sluice.accept_for_route(v_route, 1, 1, v_now);
    end if;
  end if;
  if to_regproc(v_line.add) is null then
    perform sluice.refuse_deleted();
  end if;
  execute 'call ' || v_line.add || '($1)' using row(v_id, v_now, submit.run_at, submit.deadline, submit.batch_id, v_line.model,
    submit.max_output_tokens, submit.priority, submit.max_attempts, v_route, v_api, submit.tenant, submit.traceparent, submit.metadata,
    submit.prompt, submit.request, v_later, v_gate.bytes, v_gate.full_at, v_line.max_queue)::sluice.submission;
  if v_gate.quiet is not true then
    perform sluice.ring(v_line.line);
  end if;
  return v_id;
end
$$;
