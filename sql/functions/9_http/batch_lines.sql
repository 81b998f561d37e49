-- The lines of a batch: read, validated and refused before any of them is submitted.

-- batch_lines_max: the lines of one batch, as at OpenAI.
create or replace function sluice.batch_lines_max() returns int
language sql immutable parallel safe
as $$ select 50000 $$;

-- endpoint_api: which API the models of an endpoint must speak; null: there is no such endpoint.
create or replace function sluice.endpoint_api(p_endpoint text) returns text
language sql immutable
as $$
  select case p_endpoint when '/v1/chat/completions' then 'openai-chat' when '/v1/responses'
    then 'openai-responses'
    when '/v1/embeddings' then 'openai-embeddings' when '/v1/messages' then 'anthropic-messages' end
$$;

-- part_begin: how many lines the parts before p_part of a file have.
create or replace function sluice.part_begin(p_file bigint, p_part int) returns int
language sql stable
as $$ select coalesce(sum(p.lines), 0)::int from sluice.file_part p
  where p.file = p_file and p.n < p_part $$;

-- batch_part: the lines of one part of a batch's input that are not blank. A carriage return at the
-- end of a line stays: it is white space in JSON. For 1,000 lines of 4 KB it takes 12 ms; with
-- rtrim and btrim, which count characters, 55; with a regular expression for every line 19;
-- removing the carriage returns costs 4 more.
-- Returns: line: its number in the file, from 1.
create or replace function sluice.batch_part(p_file bigint, p_part int)
returns table (line int, body text)
language plpgsql stable
as $$
declare
  v_before int := sluice.part_begin(p_file, p_part);
begin
  return query
  select (v_before + l.n)::int,
    case when v_before + l.n = 1 and starts_with(l.body, E'\uFEFF') then substr(l.body, 2)
      else l.body end
  from sluice.file_part p cross join string_to_table(p.body, E'\n') with ordinality l(body, n)
  where p.file = p_file and p.n = p_part and (starts_with(l.body, '{') or l.body ~ E'[^ \t\r]');
end
$$;

-- read_batch_line: what a line of a batch's input says. fault: what is wrong with it, one of
-- OpenAI's codes, or null.
-- Params:  p_line; p_endpoint: the batch's; p_default: settings.default_model.
create or replace function sluice.read_batch_line(
  p_line text, p_endpoint text, p_default text,
  out custom_id text, out model text, out fault text, out message text, out param text)
language plpgsql stable
as $$
declare
  v_line jsonb;
  v_body jsonb;
begin
  -- As jsonb it is read once. Texts of type json are read at each look, and with their strings put
  -- together: 118 us a line of 4 KB.
  v_line := p_line;
  if jsonb_typeof(v_line) <> 'object' then
    fault := 'invalid_json_line'; message := 'The line is no JSON object.';
    return;
  end if;
  v_body := v_line -> 'body';
  custom_id := v_line ->> 'custom_id';
  model := coalesce(v_body ->> 'model', p_default);
  -- An expression, and a statement only when there is something to say: a statement for each line
  -- took 10 us.
  param := case
    when jsonb_typeof(v_line -> 'custom_id') is distinct from 'string'
      or length(custom_id) not between 1 and 512 then 'custom_id'
    when v_line ->> 'method' is distinct from 'POST' then 'method'
    when v_line ->> 'url' is distinct from p_endpoint then 'url'
    when jsonb_typeof(v_body) is distinct from 'object' then 'body'
    when model is null or jsonb_typeof(v_body -> 'model') not in ('string', 'null')
      then 'body.model'
    when v_body ->> 'stream' = 'true' then 'body.stream'
    when jsonb_typeof(v_line -> 'affinity_key') not in ('string', 'null')
      or length(v_line ->> 'affinity_key') not between 1 and 200 then 'affinity_key' end;
  if param is not null then
    select f.fault, f.message into fault, message from (values
      ('custom_id', 'invalid_request', 'custom_id is a string of 1 to 512 characters.'),
      ('method', 'invalid_request', 'The method is POST.'),
      ('url', 'url_mismatch', 'The url is not the batch''s endpoint.'),
      ('body', 'invalid_request', 'The body is a JSON object.'),
      ('body.model', 'invalid_request', 'The body names a model.'),
      ('body.stream', 'invalid_request', 'A batch does not stream.'),
      ('affinity_key', 'invalid_request', 'affinity_key is a string of 1 to 200 characters.')
    ) f(about, fault, message) where f.about = param;
  end if;
exception when data_exception or statement_too_complex then
  fault := 'invalid_json_line'; message := 'The line is not valid JSON.';
end
$$;

-- model_faults: why a batch of p_api cannot use these models or routes: {name: why} of those that
-- it cannot. All at once, for a file may name another in each line: name by name a step of 10,000
-- lines took 3 times as long as with one. "in" is hashed whatever the planner expects.
-- Params:  p_tenant: the batch's; null: none.
create or replace function sluice.model_faults(p_models text[], p_api text, p_tenant text)
returns jsonb
language plpgsql stable
as $$
declare
  v_limits sluice.tenant_limits := (
    select l from sluice.limits_of(coalesce(p_tenant, 'default')) l);
begin
  return (
    with judged as (
      select n.name, case
        when n.name not in (select m.name from sluice.models m
          union all select r.route from sluice.routes r)
          then 'There is no model %s.'
        when n.name in (select m.name from sluice.models m where m.api <> p_api
          union all
          select r.route from sluice.routes r join sluice.models m on m.name = r.model
          where m.api <> p_api)
          then 'The model %s does not take requests of this endpoint.'
        when sluice.exceeds(v_limits, 0, n.name)
          then 'This tenant may not use the model %s.' end as fault
      from unnest(p_models) n(name))
    select coalesce(jsonb_object_agg(j.name, format(j.fault, sluice.quoted(j.name))), '{}')
    from judged j where j.fault is not null);
end
$$;

-- quoted: a name or id for a message: in JSON's quotes, at most 100 characters of it.
create or replace function sluice.quoted(p_text text) returns text
language sql immutable parallel safe
as $$ select to_json(left(p_text, 100))::text $$;

-- validate_batch: validates the next part of the input, or ends the validation after the last one.
-- Returns: the batch afterwards.
create or replace function sluice.validate_batch(p_batch sluice.batch, p_now timestamptz)
returns sluice.batch
language plpgsql volatile
as $$
declare
  c_errors_max constant int := 100;  -- that are told
  v_lines int := (select f.lines from sluice.file f where f.id = p_batch.input_file);
  v_default text := sluice.default_model();
  v_stored int;
  v_errors jsonb;
begin
  if v_lines is null or v_lines > sluice.batch_lines_max() then
    return sluice.fail_batch(p_batch, jsonb_build_array(case when v_lines is null
      then jsonb_build_object('code', 'invalid_request', 'message', 'The input file is gone.',
        'param', 'input_file_id', 'line', null)
      else jsonb_build_object('code', 'too_many_tasks', 'message',
        format('The file has %s lines, a batch at most %s.', v_lines,
        sluice.batch_lines_max()), 'param', null, 'line', null) end), p_now);
  elsif not exists (select from sluice.file_part p where p.file = p_batch.input_file
    and p.n = p_batch.position) then
    if p_batch.errors is null and p_batch.total = 0 then
      p_batch.errors :=
        '[{"code": "empty_file", "message": "The file has no requests.", '
        '"param": null, "line": null}]';
    end if;
    if p_batch.errors is not null then
      return sluice.fail_batch(p_batch, p_batch.errors, p_now);
    end if;
    update sluice.batch set phase = 'submit', position = 0, in_progress_at = p_now, look_at = p_now
    where id = p_batch.id returning * into p_batch;
    return p_batch;
  end if;
  with read as materialized (
    select l.line, r.* from sluice.batch_part(p_batch.input_file, p_batch.position) l
    cross join lateral sluice.read_batch_line(l.body, p_batch.endpoint, v_default) r),
  -- An object, not rows joined to the lines: where each names another model, a loop compared all
  -- with all, and a step of 10,000 lines took 4 to 6 s instead of 0.2.
  models as materialized (
    select sluice.model_faults(array(select r.model from read r where r.fault is null
      group by r.model), sluice.endpoint_api(p_batch.endpoint), p_batch.tenant) as faults),
  stored as (
    insert into sluice.batch_line (batch, line, custom_id, model)
    select p_batch.id, r.line, r.custom_id, r.model from read r where r.fault is null
    order by r.line
    on conflict do nothing returning line),
  judged as (
    select r.line, r.fault as code, r.message, r.param from read r where r.fault is not null
    union all
    select r.line, 'model_not_found', m.faults ->> r.model, 'body.model'
    from models m cross join read r where r.fault is null and m.faults ? r.model
    union all
    select r.line, 'duplicate_custom_id',
      format('The custom_id %s is there more than once.', sluice.quoted(r.custom_id)), 'custom_id'
    -- "not in" is hashed; "not exists" compared all with all: a step of 5,000 lines took 1.7 s
    -- instead of 0.26.
    from read r where r.fault is null and r.line not in (select s.line from stored s))
  select (select count(*) from stored), (
    select jsonb_agg(jsonb_build_object('code', j.code, 'line', j.line, 'message', j.message,
      'param', j.param) order by j.line)
    from (select * from judged order by line
      limit c_errors_max - coalesce(jsonb_array_length(p_batch.errors), 0)) j)
  into v_stored, v_errors;
  update sluice.batch set position = position + 1, total = total + v_stored, look_at = p_now,
    errors = case when v_errors is null then errors else coalesce(errors, '[]') || v_errors end
  where id = p_batch.id returning * into p_batch;
  if jsonb_array_length(p_batch.errors) >= c_errors_max then
    return sluice.fail_batch(p_batch, p_batch.errors, p_now);
  end if;
  return p_batch;
end
$$;

-- fail_batch: ends the batch because of its input; no line of it was submitted.
create or replace function sluice.fail_batch(
  p_batch sluice.batch, p_errors jsonb, p_now timestamptz)
returns sluice.batch
language plpgsql volatile
as $$
begin
  delete from sluice.batch_line where batch = p_batch.id;
  update sluice.batch set phase = 'done', ending = 'failed', ended_at = p_now,
    errors = p_errors, total = 0
  where id = p_batch.id returning * into p_batch;
  return p_batch;
end
$$;
