begin;
\ir ../../_helpers.sql
select plan(3);

select sluice.message_events('{"id": "m", "role": "assistant", "stop_reason": "end_turn",
  "content": [{"type": "text", "text": "4"}],
  "usage": {"input_tokens": 1, "output_tokens": 2}}') as said \gset
select is(array(select (regexp_matches(:'said', '^event: (\S+)', 'gn'))[1]),
  array['message_start', 'content_block_start',
  'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop'], 'in their order');
select ok(:'said' like '%"delta": {"stop_reason": "end_turn", "stop_sequence": null}%',
  'at the end the reason');
select ok(:'said' like
  '%"message": {"id": "m", "role": "assistant", "usage": {%}, "content": [], "stop_reason": null%',
  'not before');

select * from finish();
rollback;
