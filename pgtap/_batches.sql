-- Batches, for their tests: after _helpers.sql. Times are at(seconds); a batch is its number.

-- given_speaker: a new model of p_api; returns its name.
create function given_speaker(p_api text default 'openai-chat',
  p_max_unfinished bigint default null) returns text language plpgsql
as $$
declare
  v_name text := given_model();
begin
  update sluice.models set api = p_api, max_unfinished = p_max_unfinished where name = v_name;
  return v_name;
end
$$;

-- given_file: a whole file; each text is a part of it.
create function given_file(p_parts text[], p_tenant text default null,
  p_now timestamptz default at(0)) returns bigint language plpgsql
as $$
declare
  v_file bigint := sluice.begin_file('batch', 'requests.jsonl', p_tenant, p_now);
begin
  perform sluice.append_file(v_file, p.n::int - 1,
    (select count(*)::int from regexp_matches(p.body, '[^\n]*\n|[^\n]+$', 'g')), p.body)
  from unnest(p_parts) with ordinality p(body, n);
  perform sluice.end_file(v_file, interval '30 days');
  return v_file;
end
$$;

-- line_of_batch: a line of an input file, without its end.
create function line_of_batch(
  p_custom_id text, p_model text, p_url text default '/v1/chat/completions',
    p_body jsonb default '{}')
returns text language sql
as $$
  select jsonb_build_object('custom_id', p_custom_id, 'method', 'POST', 'url', p_url,
    'body', jsonb_build_object('model', p_model) || p_body)::text
$$;

-- lines_of_batch: one part of p_count lines: custom_ids p_prefix || 1, 2 …
create function lines_of_batch(p_model text, p_count int, p_prefix text default 'c') returns text
  language sql
as $$
  select string_agg(line_of_batch(p_prefix || n, p_model) || E'\n', '' order by n)
  from generate_series(1, p_count) n
$$;

-- batch_over: a new batch over a file.
create function batch_over(
  p_file bigint, p_tenant text default null, p_window text default '24h', p_more jsonb default '{}',
  p_endpoint text default '/v1/chat/completions', p_now timestamptz default at(0))
returns bigint language sql
as $$
  select substr(sluice.create_batch((jsonb_build_object('input_file_id', 'file-' || p_file,
    'endpoint', p_endpoint,
    'completion_window', p_window) || p_more)::text, p_tenant, p_now) ->> 'id', 7)::bigint
$$;

-- given_batch: a new batch of p_count lines for p_model.
create function given_batch(p_model text, p_count int default 1,
  p_tenant text default null) returns bigint language sql
as $$
  select batch_over(given_file(array[lines_of_batch(p_model, p_count)], p_tenant), p_tenant)
$$;

-- message_batch: a new message batch with custom_ids c1, c2 …
create function message_batch(p_model text, p_count int default 1,
  p_tenant text default null) returns bigint language sql
as $$
  select substr(sluice.create_message_batch(json_build_object('requests', (
    select json_agg(json_build_object('custom_id', 'c' || n, 'params',
      json_build_object('model', p_model)) order by n)
    from generate_series(1, p_count) n))::text, p_tenant, at(0)) ->> 'id', 10)::bigint
$$;

create function batch_row(p_batch bigint) returns sluice.batch language sql
as $$ select b from sluice.batch b where id = p_batch $$;

-- batch_as, result_as: rows that are stored nowhere.
create function batch_as(p_columns jsonb) returns sluice.batch language sql
as $$ select jsonb_populate_record(null::sluice.batch, p_columns) $$;

create function result_as(p_columns jsonb) returns sluice.result language sql
as $$ select jsonb_populate_record(null::sluice.result, p_columns) $$;

-- tasks_of_batch: its tasks in the order of their lines.
create function tasks_of_batch(p_batch bigint) returns bigint[] language sql
as $$ select array(select task_id from sluice.batch_line where batch = p_batch
  and task_id is not null order by line) $$;

-- advanced: makes the batch's steps at p_now until its next one is of p_phase, or has a later time.
-- Returns its phase then.
create function advanced(p_batch bigint, p_phase text, p_now timestamptz default at(1)) returns text
  language plpgsql
as $$
begin
  for v_step in 1 .. 1000 loop
    if (batch_row(p_batch)).phase in (p_phase, 'done') or (batch_row(p_batch)).look_at > p_now then
      return (batch_row(p_batch)).phase;
    end if;
    perform sluice.advance_batch(batch_row(p_batch), p_now);
  end loop;
  return 'without end';
end
$$;

-- given_pages: how many lines a step takes. Needs the database to itself.
create function given_pages(p_lines int) returns void language plpgsql
as $$
begin
  execute format('create or replace function sluice.batch_page_lines() returns int language sql '
                 'immutable as ''select %s''', p_lines);
end
$$;

-- given_end: what a task came to, as if a worker had told it.
create function given_end(
  p_task bigint, p_status text default 'solved', p_response text default '{"ok": true}',
    p_http_status int default null,
  p_error_code text default null, p_error text default null) returns void language plpgsql
as $$
begin
  perform sluice.cancel(p_task, at(1));
  update sluice.result set status = p_status,
    response = case when p_status = 'solved' then p_response end,
    http_status = p_http_status, error_code = p_error_code, error = p_error where task_id = p_task;
end
$$;

-- given_ends: the same end for all tasks of a batch that have none.
create function given_ends(p_batch bigint, p_status text default 'solved',
  p_response text default '{"ok": true}') returns void
language plpgsql
as $$
declare
  v_tasks bigint[] := tasks_of_batch(p_batch);
begin
  perform sluice.cancel_all(batch_id => p_batch, p_now => at(1));
  update sluice.result set status = p_status, response = case when p_status = 'solved'
    then p_response end, error_code = null, error = null
  where task_id = any (v_tasks) and status = 'cancelled';
end
$$;

-- lines_in: the lines of a file, as JSON.
create function lines_in(p_file bigint) returns setof jsonb language sql
as $$
  select line::jsonb from (select string_agg(body, '' order by n) as body from sluice.file_part
    where file = p_file) f
  cross join string_to_table(f.body, E'\n') with ordinality l(line, n) where line <> '' order by l.n
$$;

-- lines_of: the lines of both files of a batch, as custom_id and where it is: output or the code of
-- its error.
create function lines_of(p_batch bigint, out custom_id text, out outcome text) returns setof record
  language sql
as $$
  select l ->> 'custom_id', 'output' from lines_in((batch_row(p_batch)).output_file) l
  union all
  select l ->> 'custom_id', coalesce(l #>> '{error,code}', l #>> '{response,status_code}')
  from lines_in((batch_row(p_batch)).error_file) l
$$;

-- submit_step: a step of a batch that is being submitted; returns how many of its tasks there are.
create function submit_step(p_batch bigint) returns int language plpgsql
as $$
begin
  perform sluice.submit_batch(batch_row(p_batch), at(1));
  return cardinality(tasks_of_batch(p_batch));
end
$$;
