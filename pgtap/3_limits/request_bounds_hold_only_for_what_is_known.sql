-- sluice.request_bounds, sluice.frame_tokens, sluice.plain_keys,
-- sluice.elements, sluice.place_at, sluice.request_fault, sluice.unread_limit,
-- sluice.reads_max_completion_tokens, sluice.kept_bounds
begin;
\ir ../_helpers.sql
select plan(88);

create function bounds(p_api text, p_request text) returns text language sql
as $$ select format('%s %s %s', b.input - octet_length(p_request), b.output, b.fault)
  from sluice.request_bounds(p_api, p_request) b $$;
select is(bounds(api, request), wanted, request) from (values
  ('openai-chat', '{"messages": [], "max_tokens": 10}', '64 10 '),
  ('openai-chat', '{"messages": [], "max_tokens": 10, "n": 3}', '64 30 '),
  ('openai-chat', '{"messages": [], "max_tokens": 10, "max_completion_tokens": 20}', '64 20 '),
  ('openai-chat', '{"messages": [], "tools": [{"type": "function"}], "max_tokens": 1}', '4096 1 '),
  ('openai-chat', '{"messages": []}', '64  '),
  ('openai-chat', '{"messages": [], "max_completion_tokens": 10, "n": null}',
    '64 10 "max_completion_tokens" without "max_tokens"'),
  ('openai-chat', '{"messages": [], "max_tokens": 2147483647}', '64 2147483647 '),
  ('openai-chat', '{"messages": [], "max_tokens": 1073741824, "n": 2}', '64  '),
  ('openai-chat', '{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]},
    {"role": "tool", "content": "a", "tool_call_id": "b"}], "max_tokens": 1}', '64 1 '),
  ('openai-responses', '{"input": [{"role": "user", "content": [{"type": "input_text"}]}],
    "reasoning": {"effort": "low"}, "max_output_tokens": 7}', '64 7 '),
  ('anthropic-messages', '{"system": [{"type": "text", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"content": [{"type": "tool_result", "content": [{"type": "text"}]}]}],
    "tools": [{"name": "see", "input_schema": {"properties": {"image": {"type": "file"}}}}],
    "max_tokens": 5}', '4096 5 '),
  ('anthropic-messages', '{"max_tokens": 5}', '64 5 '),
  ('openai-embeddings', '{"input": "x"}', '64 0 '),
  ('openai-embeddings', '{"input": [[1, 2], [3]]}', '64 0 '),
  ('openai-embeddings', '{"input": ["x", [1, 2]]}', '64 0 '),
  ('unheard-of', '{"input": "x", "max_tokens": 5}', '  "input"')) r(api, request, wanted);
select is((sluice.request_bounds(api, format('{"max_tokens": 5, %s}', keys))).fault, fault, keys)
from (values
  ('openai-chat', '"messages": [{"content": [[{"type": "image_url"}]]}]', '"[["'),
  ('openai-chat', '"messages": [[{"role": "user"}]]', '"[["'),
  ('openai-chat', '"max_tokens": 100000', '"max_tokens" twice'),
  ('openai-chat', '"max_t\u006fkens": 100000', '"max_tokens" twice'),
  ('openai-chat', '"MAX_TOKENS": 100000', '"MAX_TOKENS"'),
  ('openai-chat', '"n": 1, "n": 50', '"n" twice'),
  ('openai-chat', '"N": 50', '"N"'),
  ('openai-chat', '"messages": [{"audio": {"id": "a"}}]', '"audio"'),
  ('openai-chat', '"messages": [{"content": [{"type": "video_url"}]}]', 'type "video_url"'),
  ('openai-chat', '"messages": [{"content": [{"type": "im\u0061ge_url"}]}]', 'type "image_url"'),
  ('openai-chat', '"messages": [{"content": [{"type": "image", "type": "text"}]}]',
    '"type" twice'),
  ('openai-chat', '"messages": [{"content": [{"image_url": {}}], "content": "x"}]',
    '"content" twice'),
  ('openai-chat', '"messages": {"content": {"image_url": {}}}', '"image_url"'),
  ('openai-chat', '"plugins": [{"id": "web"}]', '"plugins"'),
  ('openai-chat', '"models": ["dearer"]', '"models"'),
  ('openai-chat', '"service_tier": "priority"', '"service_tier"'),
  ('openai-chat', '"reasoning": {"max_tokens": 100000}', '"reasoning"'),
  ('openai-chat', '"extra_body": {"n": 50}', '"extra_body"'),
  ('openai-chat', '"tools": [{"type": "web_search"}]', 'type "web_search"'),
  ('openai-chat', format('"messages": [0%s]', repeat(', 0', 20000)), 'too many parts'),
  ('openai-chat', format('"messages": [{"content": [%s]}, {"content": [%1$s]}]',
    '{}' || repeat(', {}', 12000)), 'too many parts'),
  ('openai-chat', '"n": 0', 'the value of "n"'),
  ('openai-chat', '"n": 1.5', 'the value of "n"'),
  ('openai-chat', '"n": [2]', 'the value of "n"'),
  ('openai-chat', '"max_completion_tokens": "many"', 'the value of "max_completion_tokens"'),
  ('openai-chat', '"max_completion_tokens": 0', 'the value of "max_completion_tokens"'),
  ('openai-chat', '"max_completion_tokens": null', 'the value of "max_completion_tokens"'),
  ('openai-chat', '"max_completion_tokens": 1e3', 'the value of "max_completion_tokens"'),
  ('openai-responses', '"max_tokens": 7', '"max_tokens" twice'),
  ('openai-responses', '"previous_response_id": "x"', '"max_tokens"'),
  ('openai-responses', '"reasoning": {"max_tokens": 100000}', '"max_tokens"'),
  ('anthropic-messages', '"system": [{"cache_control": {"type": "ephemeral", "ttl": "1h"}}]',
    '"ttl"'),
  ('anthropic-messages', '"messages": [{"content": [{"content": [{"type": "image"}]}]}]',
    'type "image"'),
  ('anthropic-messages', '"messages": [{"content": [{"source": {}}]}]', '"source"'))
  r(api, keys, fault);
select is((sluice.request_bounds(api, format('{"%s": %s}', key, cap))).fault,
  format('the value of "%s"', key), format('%s: %s', api, cap))
from (values ('openai-chat', 'max_tokens'), ('openai-responses', 'max_output_tokens'),
  ('anthropic-messages', 'max_tokens')) a(api, key)
cross join unnest(array['0', '-1', '0.5', '1.0', '1e2', 'null', 'true', '[]', '99999999999', '"5"'])
  cap;

select is((sluice.kept_bounds('openai-chat', '{"max_tokens": 5}')).output, 5, 'a task keeps them');

create function reads(p_url text) returns boolean language sql as $$
  select sluice.reads_max_completion_tokens(jsonb_populate_record(null::sluice.models,
    jsonb_build_object('url', p_url))) $$;
select is(reads(url), wanted, url) from (values
  ('https://api.openai.com/v1', true), ('https://eu.api.openai.com:443', true),
  ('https://x.openai.azure.com/openai/v1', true), ('https://openai.com.example/v1', false),
  ('https://notopenai.com/v1', false), ('http://127.0.0.1:8000/x.openai.com/v1', false))
  r(url, wanted);

select is(bounds('openai-chat', repeat('[', 100000) || repeat(']', 100000)), '  ',
  'a request that is nested too deep');

select * from finish();
rollback;
