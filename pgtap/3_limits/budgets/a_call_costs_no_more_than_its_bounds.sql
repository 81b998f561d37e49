-- sluice.request_bounds, sluice.task_bounds, sluice.answer_max, sluice.call_bounds,
-- sluice.frame_tokens, sluice.plain_keys, sluice.plain_types,
-- sluice.elements, sluice.inner_place, sluice.request_parts_max, sluice.request_fault,
-- sluice.nanos_max, sluice.budgets_of
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(51);

create function bounds(p_api text, p_request text) returns text language sql
as $$ select format('%s %s %s', b.input - octet_length(p_request), b.output, b.fault)
  from sluice.request_bounds(p_api, p_request) b $$;
select is(bounds(api, request), wanted, request) from (values
  ('openai-chat', '{"messages": [], "max_tokens": 10}', '64 10 '),
  ('openai-chat', '{"messages": [], "max_tokens": 10, "n": 3}', '64 30 '),
  ('openai-chat', '{"messages": [], "max_tokens": 10, "max_completion_tokens": 20}', '64 20 '),
  ('openai-chat', '{"messages": [], "tools": [{"type": "function"}], "max_tokens": 1}', '4096 1 '),
  ('openai-chat', '{"messages": []}', '64  '),
  ('openai-chat', '{"messages": [], "max_tokens": "many"}', '64  '),
  ('openai-chat', '{"messages": [], "max_tokens": 0}', '64  '),
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
  ('openai-embeddings', '{"input": ["x", [1, 2]]}', '64 0 ')) r(api, request, wanted);
select is((sluice.request_bounds(api, format('{"max_tokens": 5, %s}', keys))).fault, fault, keys)
from (values
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
  ('openai-responses', '"max_tokens": 7', '"max_tokens" twice'),
  ('openai-responses', '"previous_response_id": "x"', '"max_tokens"'),
  ('openai-responses', '"reasoning": {"max_tokens": 100000}', '"max_tokens"'),
  ('anthropic-messages', '"system": [{"cache_control": {"type": "ephemeral", "ttl": "1h"}}]',
    '"ttl"'),
  ('anthropic-messages', '"messages": [{"content": [{"content": [{"type": "image"}]}]}]',
    'type "image"'),
  ('anthropic-messages', '"messages": [{"content": [{"source": {}}]}]', '"source"'))
  r(api, keys, fault);

select is(bounds('openai-chat', repeat('[', 100000) || repeat(']', 100000)), '  ',
  'a request that is nested too deep');

select given_priced_model() as m, given_model() as unpriced \gset
insert into sluice.prices (model, valid_from, above_tokens, input, cache_write, output, per_request)
values (:'m', at(0), 0, 2000000, 3000000, 1000000, 0),
  (:'m', at(0), 100, 9000000, null, 1000000, 5);
select is(sluice.nanos_max(:'m', at(-1), 100, 10), 110::numeric, 'by the list in force');
select is(sluice.nanos_max(:'m', at(0), 100, 10), 915::numeric, 'by the dearest row it may meet');
select is(sluice.nanos_max(:'m', at(0), 99, 10), 307::numeric, 'all tokens written to the cache');
select is(sluice.nanos_max(:'m', at(0), 198, 20, 2, 99), 614::numeric, 'two such calls cost twice');
select is(sluice.nanos_max(:'m', at(0), 198, 20, 2, 100), 1812::numeric,
  'if one is larger, no more than two of the dearest');
select is(sluice.nanos_max(:'unpriced', at(0), 99, 10), null, 'without a price it is not known');
update sluice.prices set output = 1000001 where model = :'m' and valid_from = 'epoch';
select is(sluice.nanos_max(:'m', at(-1), 200, 20, 2), 222::numeric,
  'each call is rounded up for itself');
create function bounds_of(p_task bigint, p_model text) returns text language sql
as $$ select format('%s %s', b.input, b.output) from sluice.task t,
  sluice.call_bounds(model_row(p_model), t) b where t.id = p_task $$;
select is(bounds_of(given_task(:'m', prompt => 'four', max_output_tokens => 9), :'m'), '68 9',
  'a prompt has its bytes and a frame');
select is(bounds_of(given_task(:'m', prompt => 'four'), :'m'), '68 ', 'without a cap no bound');
update sluice.models set max_output_tokens = 50 where name = :'m';
select is(bounds_of(given_task(:'m', prompt => 'four'), :'m'), '68 50', 'or the model''s');

select given_budget('system', null, 5000) as b1, given_budget('model', :'m', 5000) as b2,
  given_budget('tenant', 'a', 5000) as b3, given_budget('key', 'k', 5000) as b4,
  given_budget('tag', 'team=x=y', 5000) as b5,
  given_budget('route', given_route(:'m'), 5000) as b6 \gset
select is(array(select b.name from sluice.budgets_of(:'m', null, 'a', 'k', '{"team": "x=y"}') b),
  array[:'b1', :'b2', :'b3', :'b4', :'b5'], 'all that count such a call');
select is(array(select b.name from sluice.budgets_of('other', (budget_row(:'b6')).subject, 'b',
  null, null) b), array[:'b1', :'b6'], 'and another one');

select * from finish();
rollback;
