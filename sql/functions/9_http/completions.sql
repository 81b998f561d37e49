-- Completions: tasks whose client waits for the model's own answer in the model's own format.

-- require_api: requires that the model, or all models of the route, speak this API, in whose format
-- the client's body is.
-- Errors:  SL001 they speak another one. An unknown name is left to submit.
create or replace function sluice.require_api(p_name text, p_api text) returns void
language plpgsql stable
as $$
declare
  v_api text := (
    select min(m.api) from sluice.models m
    where m.api <> p_api and (m.name = p_name
      or m.name in (select r.model from sluice.routes r where r.route = p_name)));
begin
  if v_api is not null then
    raise exception '% speaks %, not %', case
        when exists (select from sluice.models m where m.name = p_name)
        then format('"%s"', left(p_name, 200))
        else format('a model of route "%s"', left(p_name, 200)) end, v_api, p_api
      using errcode = 'SL001', column = 'model',
      hint = 'Name a model that speaks it, or send a prompt to /v1/tasks, which every model takes.'
        || coalesce((select ' It is spoken by '
            || sluice.some_text(array_agg(left(m.name, 50) order by m.name)) || '.'
          from sluice.models m where m.api = p_api having count(*) > 0), '');
  end if;
end
$$;

-- completion: how a task ended, or that it is parked.
-- Returns: no row before; http_status: the backend's last; response: its body.
create or replace function sluice.completion(id bigint)
returns table (status text, http_status int, response text, error_code text, error text)
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return query
  select r.status, r.http_status::int, r.response, r.error_code, r.error
  from sluice.result r where r.task_id = completion.id;
  if not found and exists (select from sluice.parked(array[completion.id])) then
    return query values ('parked', null::int, null::text, 'parked',
      'the task waits for a model that is parked until somebody resumes it');
  end if;
end
$$;

-- parked: those of tasks of clients that wait which wait themselves until somebody resumes a model:
-- theirs, or all models of their route, are parked. Not for their first 10 s, in which they may go
-- to another model.
create or replace function sluice.parked(ids bigint[]) returns setof bigint
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select t.id from unnest(parked.ids) i cross join lateral (
    select t.id, t.model, t.route from sluice.task t
    where t.id = i and t.created_at < clock_timestamp() - interval '10 s' limit 1) t
  where (select bool_and(coalesce(m.closed_until = 'infinity', false)) from sluice.models m
      where case when t.route is null then m.id = t.model else m.name in (select r.model
        from sluice.routes r where r.route = t.route and r.weight > 0) end)
    and not exists (select from sluice.lease l where l.task_id = i);
end
$$;

-- rate_limit_headers: what is left of the limits of the model that answered, as OpenAI's headers.
-- Params:  id: the task's.
-- Returns: lines such as "x-ratelimit-remaining-requests: 7", for limits that the model has.
--          requests: calls that could begin now, of rpm; tokens: what the last minute has left of
--          tpm; reset: until all of it is available again.
create or replace function sluice.rate_limit_headers(id bigint, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_model sluice.models := (
    select m from sluice.result r join sluice.models m on m.name = r.model
    where r.task_id = rate_limit_headers.id);
begin
  return concat(
    sluice.rate_limit_lines('requests', v_model.rpm, sluice.request_quota(v_model), v_now),
    sluice.rate_limit_lines('tokens', v_model.tpm, sluice.token_quota(v_model), v_now));
end
$$;

-- rate_limit_lines: the three lines of one limit; empty where there is none.
create or replace function sluice.rate_limit_lines(
  p_name text, p_limit int, p_quota sluice.quota, p_now timestamptz)
returns text
language plpgsql volatile
as $$
begin
  return case when p_limit is null then '' else format(
    E'x-ratelimit-limit-%1$s: %2$s\nx-ratelimit-remaining-%1$s: %3$s\n'
    'x-ratelimit-reset-%1$s: %4$sms\n', p_name, p_limit,
    greatest(0, least(p_limit, sluice.permits_now(p_quota, p_now))),
    (sluice.bucket(p_quota, p_now) - sluice.micros(p_now) * 1000) / 1000000) end;
end
$$;

-- chat_chunk: an OpenAI chat completion as the only chunk of its stream.
-- Returns: one line of JSON; null if it is not a completion.
create or replace function sluice.chat_chunk(p_response text) returns text
language plpgsql immutable
as $$
declare
  v_body jsonb;
begin
  v_body := p_response;
  return v_body || jsonb_build_object('object', 'chat.completion.chunk', 'choices', (
    select coalesce(jsonb_agg(c.choice - 'message'
        || jsonb_build_object('delta', c.choice -> 'message' ||
      case when c.choice #> '{message,tool_calls,0}' is null then '{}'
        else jsonb_build_object('tool_calls', (
        select jsonb_agg(jsonb_build_object('index', t.n - 1) || t.call order by t.n)
        from jsonb_array_elements(c.choice #> '{message,tool_calls}') with ordinality t(call, n)))
          end) order by c.n), '[]')
    from jsonb_array_elements(v_body -> 'choices') with ordinality c(choice, n)));
exception when data_exception or statement_too_complex then
  return null;
end
$$;

-- Streams of completions: the stored answer as the events that the model's API would have sent.

-- event: one server-sent event.
-- Params:  p_name: told as the type in its data, too; null: an event without a name.
create or replace function sluice.event(p_name text, p_data jsonb) returns text
language sql immutable
as $$
  select coalesce('event: ' || p_name || E'\n', '') || 'data: ' || (case when p_name is null
    then p_data else p_data || jsonb_build_object('type', p_name) end)::text || E'\n\n'
$$;

-- has_events: whether an answer is told as events: these are not many times as long as it. The
-- places of its items, parts and blocks come to 300 characters each and the id of the item, and
-- four events of each repeat them.
-- Errors:  data_exception it is no answer.
create or replace function sluice.has_events(p_api text, p_response jsonb) returns boolean
language sql immutable
as $$
  select case p_api when 'openai-responses' then (
      select sum((300 + coalesce(length(i ->> 'id'), 0))::bigint
        * (1 + case when jsonb_typeof(i -> 'content') = 'array'
          then jsonb_array_length(i -> 'content') else 0 end))
      from jsonb_array_elements(p_response -> 'output') i)
    else 300::bigint * jsonb_array_length(p_response -> 'content') end
    > 8388608 is not true
$$;

-- storable_json: a JSON text with U+FFFD for U+0000, which jsonb cannot hold. \1 stands for escaped
-- backslashes meanwhile, for it is in no JSON.
create or replace function sluice.storable_json(p_json text) returns text
language sql immutable
as $$
  select case when strpos(p_json, E'\\u0000') = 0 then p_json
    else replace(replace(replace(p_json, E'\\\\', E'\1'), E'\\u0000', E'\\ufffd'),
      E'\1', E'\\\\') end
$$;

-- events_of: an answer as the events of its API; U+FFFD stands for U+0000, as in a task's answer.
-- Returns: their text; null if it is not an answer of that API, the API has no streams, or they
--          would be too long.
create or replace function sluice.events_of(api text, response text) returns text
language plpgsql immutable security definer
set search_path = sluice, pg_temp
as $$
declare
  v_text text := sluice.storable_json(events_of.response);
  v_response jsonb;
begin
  if events_of.api = 'openai-chat' then
    return sluice.event(null, sluice.chat_chunk(v_text)::jsonb) || E'data: [DONE]\n\n';
  end if;
  v_response := v_text;
  if not sluice.has_events(events_of.api, v_response) then
    return null;
  end if;
  return case events_of.api
    when 'openai-responses' then sluice.response_events(v_response)
    when 'anthropic-messages' then sluice.message_events(v_response) end;
exception when data_exception or statement_too_complex then
  return null;
end
$$;

-- response_events: OpenAI's response as the events of its stream: each item with its parts, each
-- text as one delta.
create or replace function sluice.response_events(p_response jsonb) returns text
language sql stable
as $$
  with begun as (select p_response || '{"status": "in_progress", "output": []}' as response),
  item as (
    select i.item, i.n
    from jsonb_array_elements(p_response -> 'output') with ordinality i(item, n)),
  part as (
    select i.n as item_n, p.part, p.n, jsonb_build_object('item_id', i.item -> 'id',
      'output_index', i.n - 1, 'content_index', p.n - 1) as place
    from item i cross join lateral jsonb_array_elements(
      case i.item ->> 'type' when 'message' then i.item -> 'content' end)
      with ordinality p(part, n)),
  event(item_n, part_n, step, type, data) as (  -- before and after its parts: 0 and null
    select 0, 0, e.step, e.type, jsonb_build_object('response', b.response)
    from begun b, (values (1, 'response.created'), (2, 'response.in_progress')) e(step, type)
    union all
    select i.n, e.part_n, 0, e.type, jsonb_build_object('output_index', i.n - 1, 'item', e.item)
    from item i cross join lateral (values
      (0, 'response.output_item.added', i.item || case jsonb_typeof(i.item -> 'content')
         when 'array' then '{"status": "in_progress", "content": []}' else '{}' end::jsonb),
      (null, 'response.output_item.done', i.item)) e(part_n, type, item)
    union all
    select p.item_n, p.n, e.step, e.type, p.place || e.data
    from part p cross join lateral (values
      (1, 'response.content_part.added', jsonb_build_object('part',
         p.part || case when p.part ? 'text' then '{"text": ""}' else '{}' end::jsonb)),
      (2, 'response.output_text.delta',
         jsonb_build_object('delta', p.part -> 'text', 'logprobs', '[]'::jsonb)),
      (3, 'response.output_text.done',
         jsonb_build_object('text', p.part -> 'text', 'logprobs', '[]'::jsonb)),
      (4, 'response.content_part.done', jsonb_build_object('part', p.part))) e(step, type, data)
    where e.step in (1, 4) or p.part ->> 'type' = 'output_text'
    union all
    select null, null, 0, 'response.' || coalesce(p_response ->> 'status', 'completed'),
      jsonb_build_object('response', p_response))
  select string_agg(sluice.event(e.type, e.data
    || jsonb_build_object('sequence_number', e.n - 1)), '' order by e.n)
  from (select row_number() over (order by v.item_n, v.part_n, v.step) as n, v.type, v.data
        from event v) e
$$;

-- message_events: Anthropic's message as the events of its stream: each block with one delta. A
-- block that is neither text nor a tool's input is sent whole with its start.
create or replace function sluice.message_events(p_message jsonb) returns text
language plpgsql immutable
as $$
begin
  return sluice.event('message_start', jsonb_build_object('message',
      p_message || '{"content": [], "stop_reason": null, "stop_sequence": null}'))
    || coalesce((
      select string_agg(sluice.event('content_block_start', i.place
          || jsonb_build_object('content_block', b.block || coalesce(k.empty, '{}')))
        || case when k.delta is null then '' else sluice.event('content_block_delta', i.place
          || jsonb_build_object('delta', k.delta)) end
        || sluice.event('content_block_stop', i.place), '' order by b.n)
      from jsonb_array_elements(p_message -> 'content') with ordinality b(block, n)
      cross join lateral (select jsonb_build_object('index', b.n - 1) as place) i
      left join lateral (values
        ('text', '{"text": ""}'::jsonb,
          jsonb_build_object('type', 'text_delta', 'text', b.block -> 'text')),
        ('tool_use', '{"input": {}}', jsonb_build_object('type', 'input_json_delta',
          'partial_json', (b.block -> 'input')::text))) k(kind, empty, delta)
        on k.kind = b.block ->> 'type'), '')
    || sluice.event('message_delta', jsonb_build_object('delta', jsonb_build_object(
        'stop_reason', p_message -> 'stop_reason', 'stop_sequence', p_message -> 'stop_sequence'),
      'usage', coalesce(p_message -> 'usage', '{"output_tokens": 0}')))
    || sluice.event('message_stop', '{}');
end
$$;
