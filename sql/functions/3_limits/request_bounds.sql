-- The most tokens that a verbatim request may have. Its text is sent as it came, and backends read
-- it in their own ways: of a repeated key some take the first, some take a key in any case of its
-- letters, and each knows keys of which Sluice knows nothing. So a request has a bound only if all
-- of it that a backend may count by is known, and stands there once.

-- frame_tokens: the most tokens that a provider puts around a prompt; around tools, which it
-- describes to the model.
create or replace function sluice.frame_tokens(p_has_tools boolean) returns int
language sql immutable parallel safe
as $$ select case when p_has_tools then 4096 else 64 end $$;

-- plain_keys: the keys that do not make a call dearer than the bytes of its request and the cap of
-- its answer say.
-- Params:  p_place: where: request, or one of the objects in it that place_at names.
create or replace function sluice.plain_keys(p_api text, p_place text) returns text[]
language sql immutable parallel safe
as $$
  select string_to_array(case p_place
    when 'request' then 'model,temperature,top_p,tools,tool_choice,metadata,stream,user'
      || case p_api
        when 'openai-chat' then ',messages,max_tokens,max_completion_tokens,n,top_k,min_p,stop,'
          'seed,frequency_penalty,presence_penalty,repetition_penalty,logit_bias,logprobs,'
          'top_logprobs,response_format,parallel_tool_calls,functions,function_call,'
          'reasoning_effort,verbosity,safety_identifier,prompt_cache_key,store,stream_options,'
          'min_tokens,stop_token_ids,ignore_eos'
        when 'openai-responses' then ',input,instructions,max_output_tokens,top_logprobs,text,'
          'parallel_tool_calls,max_tool_calls,reasoning,safety_identifier,prompt_cache_key,store,'
          'stream_options,truncation'
        when 'anthropic-messages' then ',messages,system,max_tokens,top_k,stop_sequences,thinking'
        when 'openai-embeddings' then ',input,dimensions,encoding_format'
        else '' end
    when 'message' then 'role,content,name,tool_calls,tool_call_id,function_call,refusal'
    when 'item' then 'type,role,content,call_id,name,arguments,output,status'
    when 'part' then 'type,text,refusal,annotations,cache_control,id,name,input,tool_use_id,'
      'content,is_error'
    when 'inner part' then 'type,text,cache_control'
    when 'tool' then 'type,function,name,description,parameters,strict,input_schema,custom,format,'
      'cache_control'
    when 'cache' then 'type'  -- a longer ttl is dearer
    when 'reasoning' then 'effort,summary' end, ',')
$$;

-- elements: how many elements an array has; null: it is none.
create or replace function sluice.elements(p_value json) returns int
language sql immutable parallel safe
as $$ select case when json_typeof(p_value) = 'array' then json_array_length(p_value) end $$;

-- place_at: what the objects are that stand at a key of p_place; null: the caller's own words,
-- which count by their bytes.
create or replace function sluice.place_at(p_place text, p_key text) returns text
language sql immutable parallel safe
as $$
  select case p_key
    when 'messages' then case when p_place = 'request' then 'message' end
    when 'input' then case when p_place = 'request' then 'item' end
    when 'output' then case when p_place = 'item' then 'part' end
    when 'system' then 'part' when 'instructions' then 'part'
    when 'tools' then 'tool' when 'reasoning' then 'reasoning' when 'cache_control' then 'cache'
    when 'content' then case when p_place in ('message', 'item') then 'part'
      when p_place = 'part' then 'inner part' end end
$$;

-- request_fault: what of a verbatim request has no bound: the first key that is repeated or not
-- among plain_keys, or a type of message, part or tool that is no text; null: nothing. The text is
-- parsed for each of the four levels at which it may be. What it raises is data_exception.
create or replace function sluice.request_fault(p_api text, p_request json) returns text
language plpgsql immutable
as $$
declare
  -- So many objects of a request are looked at, and elements of one array: 0.3 s.
  c_parts_max constant int := 20000;
  -- The types of messages, parts and tools that are text of the request.
  c_plain_types constant text[] := '{text, refusal, input_text, output_text, message, function,
    custom, function_call, function_call_output, custom_tool_call, custom_tool_call_output,
    tool_use, tool_result, ephemeral}';
begin
  return (
    with recursive object(place, value) as (
      select 'request', p_request
      union all
      select i.place, e.value
      from object o cross join lateral json_each(o.value) k
      cross join lateral (select sluice.place_at(o.place, k.key) as place offset 0) i
      cross join lateral (
        select k.value where json_typeof(k.value) = 'object'
        union all
        select case json_typeof(a.value) when 'object' then a.value else '{"[[": 0}' end
        from json_array_elements(case when sluice.elements(k.value)
          <= c_parts_max then k.value else '[]' end) a
        where json_typeof(a.value) = 'object' or json_typeof(a.value) = 'array' and exists (
          -- a backend may read the objects in it; of an embeddings call it is a list of tokens
          select from json_array_elements(a.value) x where json_typeof(x) <> 'number')) e
      where i.place is not null),
    looked as (
      select o.*, row_number() over () as n from object o limit c_parts_max + 1)
    select case when o.n > c_parts_max then 'too many parts' else f.fault end
    from looked o cross join lateral (select sluice.plain_keys(p_api, o.place) as keys offset 0) p
    left join lateral (
      select case when count(*) > 1 then format('"%s" twice', left(k.key, 100))
        when k.key <> all (p.keys) then format('"%s"', left(k.key, 100))
        when k.key = 'type' then format('type "%s"', left(min(y.type), 100))
        else 'too many parts' end as fault
      from json_each(o.value) k
      cross join lateral (select case when k.key = 'type' then k.value #>> '{}' end as type) y
      group by k.key
      having count(*) > 1 or k.key <> all (p.keys)
        or min(y.type) <> all (c_plain_types)
        or max(sluice.elements(k.value)) > c_parts_max
      order by k.key limit 1) f on true
    where o.n > c_parts_max or f.fault is not null limit 1);
end
$$;

-- unread_limit: the fault of a chat request whose only cap is max_completion_tokens.
create or replace function sluice.unread_limit() returns text
language sql immutable parallel safe
as $$ select '"max_completion_tokens" without "max_tokens"' $$;

-- reads_max_completion_tokens: whether the backend of a chat model is known to read that key: it is
-- the one that src/backends/openai_chat.cc sends to these hosts. Many others skip it.
create or replace function sluice.reads_max_completion_tokens(p_model sluice.models)
returns boolean
language sql immutable
as $$ select p_model.url ~ '^https?://[^/:]*[.]openai[.](azure[.])?com([/:]|$)' $$;

-- request_bounds: the most tokens that a verbatim request may have, in and out; null: it may be any
-- number, because of what fault says, if that is not an answer without a cap. A token is at least a
-- byte of the text. Each cap is digits: what is 0, null, a text, or is cut to 0, is no cap for some
-- backends. Of a request without a max_tokens the output holds only where max_completion_tokens is
-- read, and fault is unread_limit.
create or replace function sluice.request_bounds(
  p_api text, p_request text, out input int, out output int, out fault text)
language plpgsql immutable
as $$
declare
  v json;
  v_top jsonb;  -- the keys that say how long the answer may be, and whether there are tools
  v_cap numeric;
begin
  v := p_request::json;  -- what is raised by a declaration is not caught
  fault := sluice.request_fault(p_api, v);
  if fault is not null then
    return;
  end if;
  v_top := (select jsonb_object_agg(k.key, case when k.key in ('tools', 'functions') then '1'
      else k.value::text end)
    from json_each(v) k where k.key in ('tools', 'functions', 'max_output_tokens',
      'max_completion_tokens', 'max_tokens', 'n'));
  input := octet_length(p_request) + sluice.frame_tokens(
    coalesce(v_top ?| '{tools, functions}', false));
  fault := (select format('the value of "%s"', min(t.key)) from jsonb_each_text(v_top) t
    where t.value !~ '^[1-9][0-9]{0,9}$' and not (t.key = 'n' and t.value = 'null')
    having count(*) > 0);
  if p_api = 'openai-embeddings' then
    output := 0;
  elsif fault is null then
    v_cap := greatest((v_top ->> 'max_output_tokens')::numeric,
        (v_top ->> 'max_completion_tokens')::numeric, (v_top ->> 'max_tokens')::numeric)
      * coalesce(nullif(v_top ->> 'n', 'null')::numeric, 1);
    output := case when v_cap <= 2147483647 then v_cap::int end;
    fault := case when v_top ? 'max_completion_tokens' and not v_top ? 'max_tokens'
      then sluice.unread_limit() end;
  end if;
exception when data_exception or statement_too_complex or program_limit_exceeded then
  null;  -- nested too deep for here
end
$$;

-- kept_bounds: the bounds of a verbatim request, as they are kept with its task, for models of
-- p_api.
create or replace function sluice.kept_bounds(p_api text, p_request text)
returns sluice.request_bound
language plpgsql immutable strict
as $$
begin
  return (select row(p_api, b.input, b.output, b.fault)::sluice.request_bound
    from sluice.request_bounds(p_api, p_request) b);
end
$$;
