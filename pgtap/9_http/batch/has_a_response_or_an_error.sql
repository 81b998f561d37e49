begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(8);

create function line_of(p_result jsonb, p_refusal text default null,
  p_text text default null) returns text language sql
as $$
  select sluice.result_line(batch_as('{"id": 7}'), 3, E'a"\n',
    case when p_result is not null then result_as(p_result) end, p_refusal, p_text)
$$;
select is(line_of('{"status": "solved", "task_id": 5, "http_status": 201, "response": "{\"n\": '
                  '1.10,\r\n \"m\":\n2}"}'),
  E'{"id":"batch_req_7_3","custom_id":"a\\"\\n",'
  '"response":{"status_code":201,"request_id":"task_5","body":{"n": 1.10,   "m": 2}},'
  '"error":null}\n', 'an answer, verbatim but in one line');
select is(line_of('{"status": "solved", "task_id": 5}')::jsonb -> 'response',
  '{"status_code": 200, "request_id": "task_5", "body": null}', 'one that was forgotten');
select is(line_of('{"status": "failed", "task_id": 5, "http_status": 400, '
                  '"error_code": "bad", "error": "x\n\"y"}')::jsonb,
  '{"id": "batch_req_7_3", "custom_id": "a\"\n", "error": null, "response": {"status_code": 400,
    "request_id": "task_5", "body": {"error": {"message": "x\n\"y", "type": "bad", "param": null,
    "code": "bad"}}}}', 'what the backend refused');
select is(
  line_of('{"status": "failed", "task_id": 5, "error_code": "timeout", "error": "late"}')::jsonb,
  '{"id": "batch_req_7_3", "custom_id": "a\"\n", "response": null, "error": {'
  '"code": "timeout", "message": "late"}}',
  'what never got an answer');
select is(line_of('{"status": "cancelled", "task_id": 5, "http_status": 500, "error": "x"}')::jsonb
  -> 'error',
  '{"code": "batch_cancelled", "message": "x"}', 'what was cancelled, whatever came before');
select is(line_of(null, 'SL007', E'too\nlong')::jsonb -> 'error',
  '{"code": "invalid_request", "message": "too\nlong"}', 'what was refused');
select is(line_of(null)::jsonb -> 'error',
  '{"code": "result_gone", "message": '
  '"This request could not be executed before the batch ended."}', 'what nobody knows of');
select is_empty($$select l from unnest(array[line_of('{"status": "failed", "error": "a\nb"}'),
    line_of('{"status": "solved", "response": "\n{}\n"}'),
    line_of('{"status": "failed", "http_status": 500, "error": "a\r\nb"}'),
      line_of(null, 'x', E'a\nb')]) l
  where position(E'\n' in l) <> length(l) or position(E'\r' in l) > 0$$, 'each is one line');

select * from finish();
rollback;
