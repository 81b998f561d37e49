-- The results of a batch, written as lines into its files.

-- batch_page_lines, batch_page_bytes: how much one step writes, so that it takes well below a
-- second.
create or replace function sluice.batch_page_lines() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

create or replace function sluice.batch_page_bytes() returns int
language sql immutable parallel safe
as $$ select 4194304 $$;

-- result_line: a line of OpenAI's output or error file.
-- Params:  p_result: of the task, all null if it has none; p_refusal, p_refusal_text: why there was
--          no task.
create or replace function sluice.result_line(
  p_batch sluice.batch, p_line int, p_custom_id text, p_result sluice.result, p_refusal text,
  p_refusal_text text)
returns text
language plpgsql stable
as $$
declare
  v_code text := sluice.line_error_code(p_batch, p_result, p_refusal);
  v_text text := coalesce(p_result.error, p_refusal_text,
    'This request could not be executed before the batch ended.');
  v_body text := case  -- null: there is no response, but an error
    when p_result.status = 'solved'
      then coalesce(translate(p_result.response, E'\r\n', '  '), 'null')
    when p_result.status = 'failed' and p_result.http_status >= 400 then
      json_build_object('error', json_build_object('message', v_text, 'type', v_code, 'param', null,
        'code', v_code))::text end;
begin
  return format('{"id":"batch_req_%s_%s","custom_id":%s,"response":%s,"error":%s}' || E'\n',
    p_batch.id, p_line, to_json(p_custom_id),
    case when v_body is null then 'null'
      else format('{"status_code":%s,"request_id":"task_%s","body":%s}',
      coalesce(p_result.http_status, 200), p_result.task_id, v_body) end,
    case when v_body is null then json_build_object('code', v_code, 'message', v_text)::text
      else 'null' end);
end
$$;

-- line_error_code: why a line has no answer, by OpenAI's codes where there is one.
create or replace function sluice.line_error_code(
  p_batch sluice.batch, p_result sluice.result, p_refusal text)
returns text
language sql immutable
as $$
  select case
    when p_refusal is not null then 'invalid_request'
    when p_batch.ending is not null and (p_result.status is null or p_result.status <> 'failed')
      then 'batch_' || p_batch.ending
    when p_result.status = 'failed' then coalesce(p_result.error_code, 'failed')
    when p_result.status is null then 'result_gone'
    else 'batch_' || p_result.status end
$$;

-- message_result_line: a line of Anthropic's results.
create or replace function sluice.message_result_line(
  p_batch sluice.batch, p_custom_id text, p_result sluice.result, p_refusal text,
  p_refusal_text text)
returns text
language plpgsql stable
as $$
declare
  v_code text := sluice.line_error_code(p_batch, p_result, p_refusal);
begin
  return format('{"custom_id":%s,"result":%s}' || E'\n', to_json(p_custom_id), case
    when p_result.status = 'solved' then
      format('{"type":"succeeded","message":%s}',
        coalesce(translate(p_result.response, E'\r\n', '  '), 'null'))
    when p_batch.ending is not null and v_code = 'batch_cancelled' then '{"type":"canceled"}'
    when p_batch.ending is not null and v_code = 'batch_expired' then '{"type":"expired"}'
    else format('{"type":"errored","error":%s}',
      json_build_object('type', 'error', 'error', json_build_object(
      'type', case when p_refusal is null and coalesce(p_result.http_status, 500) >= 500
        then 'api_error' else 'invalid_request_error' end,
      'message', coalesce(p_result.error, p_refusal_text, v_code)))) end);
end
$$;

-- write_batch: writes the results of a page of lines into the batch's files; after the last page
-- the batch has ended.
create or replace function sluice.write_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_last int;
  v_outputs text;
  v_errors text;
  v_messages boolean := p_batch.endpoint = '/v1/messages';
begin
  with page as materialized (
    select l.line, l.custom_id, l.error_code, l.error, l.task_id,
      sum(octet_length(r.response)) over (order by l.line rows unbounded preceding) as bytes
    from (select * from sluice.batch_line l where l.batch = p_batch.id and l.line > p_batch.position
          order by l.line limit sluice.batch_page_lines()) l
    left join sluice.result r on r.task_id = l.task_id),
  kept as materialized (
    select p.line, coalesce(r.status = 'solved', false) as solved, case when v_messages
      then sluice.message_result_line(p_batch, p.custom_id, r, p.error_code, p.error)
      else sluice.result_line(p_batch, p.line, p.custom_id, r, p.error_code, p.error) end as text
    from page p left join sluice.result r on r.task_id = p.task_id
    where coalesce(p.bytes, 0) <= sluice.batch_page_bytes()
      or p.line = (select min(line) from page))
  select max(k.line), string_agg(k.text, '' order by k.line) filter (where k.solved or v_messages),
    string_agg(k.text, '' order by k.line) filter (where not (k.solved or v_messages))
  into v_last, v_outputs, v_errors from kept k;
  if v_last is null then
    perform sluice.end_file(f, p_batch.output_lifetime)
      from unnest(array[p_batch.output_file, p_batch.error_file]) f
    where f is not null;
    delete from sluice.batch_line where batch = p_batch.id;
    update sluice.batch set phase = 'done', ended_at = p_now where id = p_batch.id;
    return;
  end if;
  -- Not in the update: where it meets a cancel it would call them once more.
  p_batch.output_file := sluice.put_out(p_batch, p_batch.output_file, 'output', v_outputs, p_now);
  p_batch.error_file := sluice.put_out(p_batch, p_batch.error_file, 'errors', v_errors, p_now);
  update sluice.batch set position = v_last, look_at = p_now, output_file = p_batch.output_file,
    error_file = p_batch.error_file
  where id = p_batch.id;
end
$$;

-- put_out: appends lines to one of a batch's files, creating it if necessary.
-- Params:  p_name: output or errors; p_text: lines, or null.
-- Returns: the file, null while there is none.
create or replace function sluice.put_out(
  p_batch sluice.batch, p_file bigint, p_name text, p_text text, p_now timestamptz)
returns bigint
language plpgsql volatile
as $$
begin
  if p_text is null then
    return p_file;
  elsif p_file is null then
    p_file := sluice.begin_file('batch_output', format('batch_%s_%s.jsonl', p_batch.id, p_name),
      p_batch.tenant, p_now);
    -- writing may take its time
    update sluice.file f set expires_at = p_now + p_batch.output_lifetime where f.id = p_file;
  end if;
  perform sluice.append_file(p_file, (select count(*)::int from sluice.file_part p
    where p.file = p_file), length(p_text) - length(replace(p_text, E'\n', '')), p_text);
  return p_file;
end
$$;
