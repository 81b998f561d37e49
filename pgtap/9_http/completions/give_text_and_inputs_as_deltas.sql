begin;
\ir ../../_helpers.sql
select plan(3);

create function events(p_block text) returns text language sql
as $$
  select sluice.message_events(jsonb_build_object('content', jsonb_build_array(p_block::jsonb)))
$$;
select ok(events('{"type": "text", "text": "4"}') like
  '%"content_block": {"text": "", "type": "text"}%"delta": {"text": "4", "type": "text_delta"}%',
    'a text');
select ok(events('{"type": "tool_use", "id": "a", "input": {"x": 1}}') like
  '%"input": {}%"partial_json": "{_"x_": 1}"%', 'an input');
select is(array(select (regexp_matches(events('{"type": "thinking", "thinking": "hm"}'),
  '^event: (content_\S+)', 'gn'))[1]),
  array['content_block_start', 'content_block_stop'], 'what has no delta comes whole');

select * from finish();
rollback;
