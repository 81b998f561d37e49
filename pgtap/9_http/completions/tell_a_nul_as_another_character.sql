-- sluice.events_of, sluice.storable_json
begin;
\ir ../../_helpers.sql
select plan(5);

-- jsonb has no U+0000, and the task is solved and paid all the same
select is(sluice.storable_json('a\u0000\u0000\\u0000\\\u0000'), 'a\ufffd\ufffd\\u0000\\\ufffd',
  'where it is escaped, and not where the backslash before it is');
select alike(sluice.events_of(api, replace(response, '?', 'a\u0000b')), '%a' || U&'\FFFD' || 'b%',
  api)
from (values
  ('openai-chat', '{"choices": [{"message": {"content": "?"}}]}'),
  ('openai-responses', '{"output": [{"type": "message", "id": "m",
    "content": [{"type": "output_text", "text": "?"}]}]}'),
  ('anthropic-messages', '{"content": [{"type": "text", "text": "?"}]}')) r(api, response);
select is(sluice.events_of('openai-chat', '{"choices": "\u0000'), null, 'what is no JSON is none');

select * from finish();
rollback;
