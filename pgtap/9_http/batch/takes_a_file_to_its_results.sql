begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(9);

select given_speaker() as m \gset
select given_worker(array[:'m']) as w \gset
select batch_over(given_file(array[lines_of_batch(:'m', 3)], 't'), 't') as b \gset
-- stepped: makes all steps that are due.
create function stepped(p_now timestamptz) returns int language plpgsql
as $$
begin
  for v_step in 1 .. 100 loop
    exit when sluice.advance_batches(p_now) > 0;
  end loop;
  return sluice.advance_batches(p_now);
end
$$;
select is(stepped(at(1)), 500, 'they are submitted, and it looks again in half a second');
select claimed(:w, 3, at(2)) as ts \gset
select is(:'ts'::bigint[], tasks_of_batch(:b), 'a worker has them');
select sluice.complete(:w, array[
  row((:'ts'::bigint[])[1], 1, 'solved', 'a', E'{"n":\r\n 1.10}', null, null, 200, null, 1, 1,
    true)::sluice.outcome,
  row((:'ts'::bigint[])[2], 1, 'failed', null, null, E'HTTP 400:\n"no"', null, 400, null, null,
    null, null)::sluice.outcome], at(3));
select is(stepped(at(4)), 500, 'one is on its way');
select is(sluice.show_batch(:b, 't', false)::jsonb -> 'request_counts',
  '{"total": 3, "completed": 1, "failed": 1}', 'two have ended');
select sluice.complete(:w, array[told((:'ts'::bigint[])[3], 'solved')], at(5)) \g /dev/null
select is(stepped(at(6)), 60000, 'now there is nothing to do');
select is(sluice.show_batch(:b, 't', false)::jsonb
  - '{id,input_file_id,output_file_id,error_file_id,endpoint,object}'::text[],
  jsonb_build_object('errors', null, 'completion_window', '24h', 'status', 'completed',
    'created_at', sluice.unix_time(at(0)),
    'in_progress_at', sluice.unix_time(at(1)), 'expires_at', sluice.unix_time(at(86400)),
      'finalizing_at', sluice.unix_time(at(6)),
    'completed_at', sluice.unix_time(at(6)), 'failed_at', null, 'expired_at', null, 'cancelling_at',
      null, 'cancelled_at', null, 'request_counts',
      '{"total": 3, "completed": 2, "failed": 1}'::jsonb, 'metadata', null),
      'the batch is completed');
select is(sluice.file_body((batch_row(:b)).output_file, 't', 0), (
  select string_agg(format('{"id":"batch_req_%s_%s","custom_id":"c%s",'
    '"response":{"status_code":200,"request_id":"task_%s","body":%s},"error":null}', :b, n, n,
      (:'ts'::bigint[])[n], body)
    || E'\n', '')
  from (values (1, '{"n":   1.10}'), (3, 'null')) r(n, body)), 'its output');
select results_eq(format('select l - ''id'' from lines_in(%s) l', (batch_row(:b)).error_file),
  array[jsonb_build_object('custom_id', 'c2', 'error', null, 'response',
    jsonb_build_object('status_code', 400,
    'request_id', 'task_' || (:'ts'::bigint[])[2],
    'body', '{"error": {"message": "HTTP 400:\n\"no\"", "type": "failed", "param": null,
      "code": "failed"}}'::jsonb))], 'its errors');
select is_empty(format('select from sluice.batch_line where batch = %s', :b), 'no line is left');

select * from finish();
rollback;
