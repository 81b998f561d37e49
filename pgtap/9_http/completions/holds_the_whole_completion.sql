begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.chat_chunk('{"id": "c", "object": "chat.completion", "created": 7, "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}],
      "usage": {"total_tokens": 3}}')::jsonb,
  '{"id": "c", "object": "chat.completion.chunk", "created": 7, "choices": [
    {"index": 0, "delta": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}],
      "usage": {"total_tokens": 3}}',
  'a delta is all of the message');
select is(
  sluice.chat_chunk('{"choices": [{"message": {"tool_calls": [{"id": "a"}, {"id": "b"}]}}]}')::jsonb
    #> '{choices,0,delta,tool_calls}',
  '[{"index": 0, "id": "a"}, {"index": 1, "id": "b"}]', 'tool calls are numbered');
select ok(sluice.chat_chunk('{"choices": [{"message": {"content": "a\nb"}}]}') not like E'%\n%',
  'it is one line');
select is(sluice.chat_chunk('no JSON'), null, 'no JSON is no completion');
select is(sluice.chat_chunk('{"choices": 7}'), null, 'nor is this');

select * from finish();
rollback;
