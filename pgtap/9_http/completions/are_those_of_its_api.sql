begin;
\ir ../../_helpers.sql
select plan(6);

select is(sluice.events_of('openai-chat', '{"choices": [{"message": {"content": "4"}}]}'),
  E'data: {"object": "chat.completion.chunk", "choices": '
  '[{"delta": {"content": "4"}}]}\n\ndata: [DONE]\n\n',
    'a chat is one chunk');
select alike(sluice.events_of('openai-responses', '{"output": []}'),
  E'event: response.created\ndata: %', 'a response begins');
select alike(sluice.events_of('anthropic-messages', '{"content": []}'),
  E'event: message_start\ndata: %', 'so does a message');
select is(sluice.events_of('openai-embeddings', '{}'), null, 'embeddings have none');
select is(sluice.events_of('openai-responses', 'no JSON'), null, 'no JSON is no answer');
select is(sluice.events_of('anthropic-messages', '{"content": 7}'), null, 'nor is this');

select * from finish();
rollback;
