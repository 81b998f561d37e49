begin;
\ir ../_helpers.sql
select plan(12);

select given_model() as m, given_model() as other \gset
select sluice.set_counter('learned', id_of(:'m'), sluice.pack_learned(500000, 100));

create temporary table sum as
select * from sluice.estimate_many(jsonb_build_array(
  jsonb_build_object('model', :'m', 'prompt', repeat('x', 1000)),
  jsonb_build_object('model', :'m', 'prompt', repeat('x', 1000), 'max_output_tokens', 7)), at(0));
select is((select input_tokens from sum), 2 * sluice.estimate_tokens(id_of(:'m'), 1000, 0)::bigint,
  'of prompts, by the learned ratio');
select is((select input_tokens from sum), 1016::bigint, 'half a token a byte, and the frame');
select is((select output_tokens from sum), 107::bigint, 'a bound of its own counts');
select is((select count from sum), 2::bigint, 'all tasks');

-- bounds: how many of the requests say how long their answers may be, and what they say.
create function bounds(p_api text, variadic p_requests text[]) returns text language plpgsql
as $$
begin
  update sluice.models set api = p_api where name = current_setting('test.model');
  return (select format('%s: %s', s ->> 'bounded', s ->> 'bounds') from jsonb_array_elements(
    sluice.sums_of_tasks(array_fill(current_setting('test.model'), array[cardinality(p_requests)]),
      array_fill('default'::text, array[cardinality(p_requests)]), null, p_requests, null)) s);
end
$$;
select set_config('test.model', :'m', true) \g /dev/null
select is(bounds('openai-chat', '{"max_tokens": 5}', '{"x": 1}'), '1: 5',
  'a request bounds its answer');
select is(bounds('openai-chat', '{"max_completion_tokens": 6, "max_tokens": 5, "n": 2}'), '1: 12',
  'by the larger bound, each of its answers');
select is(bounds('openai-responses', '{"max_output_tokens": 7, "user": "x"}'), '1: 7',
  'by the name that its api has');
select is(bounds('openai-chat', '{"max_tokens": "many", "x": 1}'), '0: 0', 'a text bounds nothing');
select is(bounds('openai-chat', '{"max_tokens": 5, "x": "\u0000"}'), '0: 0',
  'nor what cannot be read');
update sluice.models set api = 'openai-chat' where name = :'m';

select is((select array_agg(s ->> 'bounded' order by s ->> 'name') from jsonb_array_elements(
    sluice.task_sums(jsonb_build_array(jsonb_build_object('model', :'m', 'request',
      '{"max_tokens": 9}')), at(0))) s), '{1}', 'a verbatim request''s own bound is summed up');
select is(jsonb_array_length(sluice.sums_of(sluice.read_drafts(jsonb_build_array(
    jsonb_build_object('model', :'m', 'prompt', 'a'),
    jsonb_build_object('model', :'m', 'prompt', 'b'),
    jsonb_build_object('model', :'other', 'prompt', 'c')), at(0)))), 2, 'a sum for each model');

select sluice.submit('a', :'m', idempotency_key => 'key') \g /dev/null
select is((select sum(count) from sluice.estimate_many(jsonb_build_array(jsonb_build_object('model',
    :'m', 'prompt', 'a', 'idempotency_key', 'key')), at(0))), null, 'a repeat is not called again');

select * from finish();
rollback;
