begin;
\ir ../../_helpers.sql
select plan(3);

select ok(sluice.block_events('{"type": "text", "text": "4"}', 2) like
  '%"content_block": {"text": "", "type": "text"}%"delta": {"text": "4", "type": "text_delta"}%',
    'a text');
select ok(sluice.block_events('{"type": "tool_use", "id": "a", "input": {"x": 1}}', 0) like
  '%"input": {}%"partial_json": "{_"x_": 1}"%', 'an input');
select is(array(select (regexp_matches(sluice.block_events('{"type": "thinking", "thinking": "hm"}',
  1), '^event: (\S+)', 'gn'))[1]),
  array['content_block_start', 'content_block_stop'], 'what has no delta comes whole');

select * from finish();
rollback;
