-- Streams of completions: the whole answer, once it is stored, as the events that the model's API would have sent.

-- event: one server-sent event. Params: p_name: null: an event without a name.
create or replace function sluice.event(p_name text, p_data jsonb) returns text
language sql immutable
as $$ select coalesce('event: ' || p_name || E'\n', '') || 'data: ' || p_data || E'\n\n' $$;

-- events_of: an answer as the events of its API.
-- Returns: their text; null when it is no answer of that API, or that API has no streams.
create or replace function sluice.events_of(api text, response text) returns text
language plpgsql immutable security definer
set search_path = sluice, pg_temp
as $$
begin
  return case events_of.api
    when 'openai-chat' then sluice.event(null, sluice.chat_chunk(events_of.response)::jsonb) || E'data: [DONE]\n\n'
    when 'openai-responses' then sluice.response_events(events_of.response::jsonb)
    when 'anthropic-messages' then sluice.message_events(events_of.response::jsonb) end;
exception when data_exception or statement_too_complex then
  return null;
end
$$;

-- response_events: OpenAI's response as the events of its stream: each item with its parts, each text as one delta.
create or replace function sluice.response_events(p_response jsonb) returns text
language plpgsql immutable
as $$
declare
  v_begun jsonb := p_response || '{"status": "in_progress", "output": []}';
  v_events jsonb[] := array[jsonb_build_object('type', 'response.created', 'response', v_begun),
                            jsonb_build_object('type', 'response.in_progress', 'response', v_begun)];
  v_item record;
  v_part record;
  v_where jsonb;
begin
  for v_item in select i.item, i.n - 1 as n from jsonb_array_elements(p_response -> 'output') with ordinality i(item, n) loop
    v_events := v_events || jsonb_build_object('type', 'response.output_item.added', 'output_index', v_item.n, 'item', v_item.item ||
      case when jsonb_typeof(v_item.item -> 'content') = 'array' then '{"status": "in_progress", "content": []}' else '{}' end::jsonb);
    for v_part in
      select p.part, p.n - 1 as n from jsonb_array_elements(v_item.item -> 'content') with ordinality p(part, n)
      where v_item.item ->> 'type' = 'message'
    loop
      v_where := jsonb_build_object('item_id', v_item.item -> 'id', 'output_index', v_item.n, 'content_index', v_part.n);
      v_events := v_events || (v_where || jsonb_build_object('type', 'response.content_part.added', 'part', v_part.part ||
        case when v_part.part ? 'text' then '{"text": ""}' else '{}' end::jsonb));
      if v_part.part ->> 'type' = 'output_text' then
        v_events := v_events || array[
          v_where || jsonb_build_object('type', 'response.output_text.delta', 'delta', v_part.part -> 'text', 'logprobs', '[]'::jsonb),
          v_where || jsonb_build_object('type', 'response.output_text.done', 'text', v_part.part -> 'text', 'logprobs', '[]'::jsonb)];
      end if;
      v_events := v_events || (v_where || jsonb_build_object('type', 'response.content_part.done', 'part', v_part.part));
    end loop;
    v_events := v_events || jsonb_build_object('type', 'response.output_item.done', 'output_index', v_item.n, 'item', v_item.item);
  end loop;
  v_events := v_events || jsonb_build_object('type', 'response.' || coalesce(p_response ->> 'status', 'completed'), 'response', p_response);
  return (select string_agg(sluice.event(e.data ->> 'type', e.data || jsonb_build_object('sequence_number', e.n - 1)), '' order by e.n)
          from unnest(v_events) with ordinality e(data, n));
end
$$;

-- message_events: Anthropic's message as the events of its stream: each block with one delta.
create or replace function sluice.message_events(p_message jsonb) returns text
language plpgsql immutable
as $$
begin
  return sluice.event('message_start', jsonb_build_object('type', 'message_start', 'message',
      p_message || '{"content": [], "stop_reason": null, "stop_sequence": null}'))
    || coalesce((select string_agg(sluice.block_events(b.block, b.n::int - 1), '' order by b.n)
                 from jsonb_array_elements(p_message -> 'content') with ordinality b(block, n)), '')
    || sluice.event('message_delta', jsonb_build_object('type', 'message_delta', 'delta', jsonb_build_object(
         'stop_reason', p_message -> 'stop_reason', 'stop_sequence', p_message -> 'stop_sequence'),
         'usage', coalesce(p_message -> 'usage', '{"output_tokens": 0}')))
    || sluice.event('message_stop', '{"type": "message_stop"}');
end
$$;

-- block_events: block p_n of a message. What is no text and no tool's input comes whole with its start.
create or replace function sluice.block_events(p_block jsonb, p_n int) returns text
language sql immutable
as $$
  select sluice.event('content_block_start', jsonb_build_object('type', 'content_block_start', 'index', p_n, 'content_block',
      p_block || case p_block ->> 'type' when 'text' then '{"text": ""}' when 'tool_use' then '{"input": {}}' else '{}' end::jsonb))
    || case when p_block ->> 'type' in ('text', 'tool_use') then sluice.event('content_block_delta', jsonb_build_object(
         'type', 'content_block_delta', 'index', p_n, 'delta', case p_block ->> 'type'
           when 'text' then jsonb_build_object('type', 'text_delta', 'text', p_block -> 'text')
           else jsonb_build_object('type', 'input_json_delta', 'partial_json', (p_block -> 'input')::text) end)) else '' end
    || sluice.event('content_block_stop', jsonb_build_object('type', 'content_block_stop', 'index', p_n))
$$;
