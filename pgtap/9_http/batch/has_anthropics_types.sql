begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(10);

create function line_of(p_result jsonb, p_ending text default null, p_refusal text default null,
  p_text text default null) returns text
language sql
as $$
  select sluice.message_result_line(batch_as(jsonb_build_object('id', 7, 'ending', p_ending)),
    E'a"\n', case when p_result is not null then result_as(p_result) end, p_refusal, p_text)
$$;
select is(line_of('{"status": "solved", "response": "{\"n\": 1.10,\r\n \"m\":\n2}"}'),
  E'{"custom_id":"a\\"\\n","result":{"type":"succeeded","message":{"n": 1.10,   "m": 2}}}\n',
    'an answer, verbatim but in one line');
select is(line_of('{"status": "failed", "http_status": 400, "error": "x\ny"}',
  'cancelled')::jsonb -> 'result',
  '{"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", '
  '"message": "x\ny"}}}', 'a refusal');
select is(line_of('{"status": "failed", "http_status": 529, "error": "x"}')::jsonb -> 'result',
  '{"type": "errored", "error": {"type": "error", "error": {"type": "api_error", "message": "x"}}}',
    'a failure');
select is(line_of('{"status": "failed", "error_code": "timeout"}')::jsonb #> '{result,error,error}',
  '{"type": "api_error", "message": "timeout"}', 'no answer');
select is(line_of(null, 'expired', 'SL007', E'too\nlong')::jsonb #> '{result,error,error}',
  '{"type": "invalid_request_error", "message": "too\nlong"}', 'refused here');
select is(line_of('{"status": "cancelled"}', 'cancelled')::jsonb -> 'result',
  '{"type": "canceled"}', 'cancelled');
select is(line_of(null, 'cancelled')::jsonb -> 'result', '{"type": "canceled"}',
  'before it was submitted');
select is(line_of('{"status": "cancelled"}', 'expired')::jsonb -> 'result', '{"type": "expired"}',
  'stopped when the time was over');
select is(line_of('{"status": "expired"}', 'expired')::jsonb -> 'result', '{"type": "expired"}',
  'or by its own deadline');
select is_empty($$select l from unnest(array[line_of('{"status": "failed", "error": "a\nb"}'),
    line_of('{"status": "solved", "response": "\n{}\n"}'), line_of(null, null, 'x', E'a\nb')]) l
  where position(E'\n' in l) <> length(l) or position(E'\r' in l) > 0$$, 'each is one line');

select * from finish();
rollback;
