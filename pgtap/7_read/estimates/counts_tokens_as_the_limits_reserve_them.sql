begin;
\ir ../../_helpers.sql
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

select is(sluice.answer_bound('{"max_tokens": 5}'), 5::bigint, 'a request bounds its answer');
select is(sluice.answer_bound('{"max_completion_tokens": 6, "max_tokens": 5}'), 6::bigint,
  'by the newer name');
select is(sluice.answer_bound('{"max_output_tokens": 1e30}'), 2147483647::bigint,
  'no more than an int');
select is(sluice.answer_bound('{"max_tokens": "many", "x": 1}'), null, 'a text bounds nothing');
select is(sluice.answer_bound('{"max_tokens": 5, "x": "\u0000"}'), null,
  'nor what cannot be read');

select is((select array_agg(s ->> 'bounded' order by s ->> 'name') from jsonb_array_elements(
    sluice.task_sums(jsonb_build_array(jsonb_build_object('model', :'m', 'request',
      '{"max_tokens": 9}')), at(0))) s), '{1}', 'a verbatim request''s own bound is summed up');
select is(jsonb_array_length(sluice.sums_of(sluice.drafts_of(jsonb_build_array(
    jsonb_build_object('model', :'m', 'prompt', 'a'),
    jsonb_build_object('model', :'m', 'prompt', 'b'),
    jsonb_build_object('model', :'other', 'prompt', 'c')), at(0)))), 2, 'a sum for each model');

select sluice.submit('a', :'m', idempotency_key => 'key') \g /dev/null
select is((select sum(count) from sluice.estimate_many(jsonb_build_array(jsonb_build_object('model',
    :'m', 'prompt', 'a', 'idempotency_key', 'key')), at(0))), null, 'a repeat is not called again');

select * from finish();
rollback;
