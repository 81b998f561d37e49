-- What moves batches on: every server calls advance_batches() again and again. A step is one transaction over a bounded part of
-- one batch, and leaves all that the next one needs in the tables: whoever makes it, and whenever a server dies, every line
-- is submitted once and is in one output file once.
--
--   validate -> submit -> run -> write -> done      stop comes before write when a batch is cancelled or expires

-- batch_page_lines, batch_page_bytes: how much one step takes: so much that it lasts well below a second.
create or replace function sluice.batch_page_lines() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

create or replace function sluice.batch_page_bytes() returns int
language sql immutable parallel safe
as $$ select 4194304 $$;

-- batch_turns: the open batches that are due, in the order of their turns: of the tenant whose last step is the longest ago, the batch
-- that has waited longest. So a tenant's batches wait for one step of each other tenant's, however many those have, and have had.
-- A step in the future, before the clock was set back, counts as none.
create or replace function sluice.batch_turns(p_now timestamptz) returns setof bigint
language plpgsql stable
as $$
begin
  return query
  select b.id from sluice.batch b
  left join sluice.batch_turn t on t.tenant = coalesce(b.tenant, 'default') and t.stepped_at <= p_now
  where b.phase <> 'done' and b.look_at <= p_now order by t.stepped_at nulls first, b.look_at, b.id limit 20;
end
$$;

-- advance_batches: one step of the batch whose turn it is.
-- Stage:   79. As a transaction of its own.
-- Returns: in how many ms the next step may be due, at most 1,000; settings.idle_look while there is no batch but those that are
--          done: the server that takes one looks at once, the others only if that one dies. 0: there is more to do.
-- An advisory lock keeps others from the batch, not a row lock: a cancel must not wait for a step.
create or replace function sluice.advance_batches(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '1s'  -- a client's open transaction holds up one batch for a while, not all of them
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_id bigint;
  v_batch sluice.batch;
begin
  for v_id in select sluice.batch_turns(v_now) loop
    if pg_try_advisory_xact_lock(sluice.lock_class('batch'), (v_id % 2147483647)::int) then
      select b.* into v_batch from sluice.batch b where b.id = v_id and b.phase <> 'done' and b.look_at <= v_now;
      continue when not found;  -- somebody has just made the step
      perform sluice.advance_batch(v_batch, v_now);
      -- Last: another server's step for this tenant waits here for no more than the commit.
      insert into sluice.batch_turn (tenant, stepped_at) values (coalesce(v_batch.tenant, 'default'), v_now)
      on conflict (tenant) do update set stepped_at = excluded.stepped_at;
      return 0;
    end if;
  end loop;
  if sluice.drop_old_files(v_now) or sluice.drop_old_batches(v_now) then
    return 0;
  end if;
  return (select case when count(*) = 0
              then (select extract(epoch from least(s.idle_look, interval '20 days')) * 1000 from sluice.settings s)
            else least(1000, ceil(extract(epoch from min(b.look_at) filter (where b.look_at >= v_now) - v_now) * 1000)) end::int
          from sluice.batch b where b.phase <> 'done');
end
$$;

-- drop_old_batches: forgets batches that ended 30 days ago: what they put out is gone by then. A page at a time. And turns an hour ago,
-- for whom nobody waits.
-- Returns: whether there were any.
create or replace function sluice.drop_old_batches(p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  delete from sluice.batch b where b.id in (
    select o.id from sluice.batch o where o.phase = 'done' and o.ended_at <= p_now - interval '30 days'
    order by o.ended_at limit sluice.batch_page_lines() for update skip locked);
  if not found then
    delete from sluice.batch_turn t where t.stepped_at < p_now - interval '1 hour';
    return false;
  end if;
  return true;
end
$$;

-- advance_batch: the next step of this batch, which the caller has locked. A step that fails is repeated in ten seconds, so that
-- it is not in the way of others.
create or replace function sluice.advance_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  if p_batch.ending is null and p_now >= p_batch.expires_at and p_batch.phase in ('validate', 'submit', 'run') then
    update sluice.batch set ending = coalesce(ending, 'expired') where id = p_batch.id returning * into p_batch;
  end if;
  if p_batch.ending is not null and p_batch.phase in ('validate', 'submit', 'run') then
    update sluice.batch set phase = 'stop', position = 0 where id = p_batch.id returning * into p_batch;
  end if;
  case p_batch.phase
    when 'validate' then perform sluice.validate_batch(p_batch, p_now);
    when 'submit' then perform sluice.submit_batch(p_batch, p_now);
    when 'run' then perform sluice.await_batch(p_batch, p_now);
    when 'stop' then perform sluice.stop_batch(p_batch, p_now);
    when 'write' then perform sluice.write_batch(p_batch, p_now);
  end case;
exception when others then
  raise warning 'a step of batch % failed in phase %: SQLSTATE %', p_batch.id, p_batch.phase, sqlstate;
  update sluice.batch set look_at = p_now + interval '10 s' where id = p_batch.id;
end
$$;

-- part_begin: how many lines the parts of a file before p_part have.
create or replace function sluice.part_begin(p_file bigint, p_part int) returns int
language sql stable
as $$ select coalesce(sum(p.lines), 0)::int from sluice.file_part p where p.file = p_file and p.n < p_part $$;

-- batch_part: the lines of one part of a batch's input that are not blank. A return at the end of a line stays: white space to JSON.
-- Returns: line: its number in the file, from 1.
-- Of 1,000 lines of 4 KB: 12 ms; with rtrim and btrim, which count characters, 55; with a regular expression for every line 19;
-- the returns taken out of the part 4 more.
create or replace function sluice.batch_part(p_file bigint, p_part int) returns table (line int, body text)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  v_before int := sluice.part_begin(p_file, p_part);
begin
  return query
  select (v_before + l.n)::int, case when v_before + l.n = 1 then ltrim(l.body, U&'\FEFF') else l.body end
  from sluice.file_part p cross join string_to_table(p.body, E'\n') with ordinality l(body, n)
  where p.file = p_file and p.n = p_part and (starts_with(l.body, '{') or l.body ~ '[^ \t\r]');
end
$$;

-- read_batch_line: what a line of a batch's input says, and what is wrong with it: fault is null, or one of OpenAI's codes.
-- Params:  p_line; p_endpoint: the batch's; p_default: what settings.default_model says.
create or replace function sluice.read_batch_line(
  p_line text, p_endpoint text, p_default text,
  out custom_id text, out model text, out fault text, out message text, out param text)
language plpgsql stable
as $$
declare
  v_line jsonb;
  v_body jsonb;
begin
  -- As jsonb it is read once. Texts of type json are read at each look, and with their strings put together: 118 us a line of 4 KB.
  v_line := p_line;
  if jsonb_typeof(v_line) <> 'object' then
    fault := 'invalid_json_line'; message := 'The line is no JSON object.';
    return;
  end if;
  v_body := v_line -> 'body';
  custom_id := v_line ->> 'custom_id';
  model := coalesce(v_body ->> 'model', p_default);
  -- An expression, and a statement only when there is something to say: a statement for each line took 10 us.
  param := case
    when jsonb_typeof(v_line -> 'custom_id') is distinct from 'string' or length(custom_id) not between 1 and 512 then 'custom_id'
    when v_line ->> 'method' is distinct from 'POST' then 'method'
    when v_line ->> 'url' is distinct from p_endpoint then 'url'
    when jsonb_typeof(v_body) is distinct from 'object' then 'body'
    when model is null or jsonb_typeof(v_body -> 'model') not in ('string', 'null') then 'body.model'
    when v_body ->> 'stream' = 'true' then 'body.stream' end;
  if param is not null then
    select f.fault, f.message into fault, message from (values
      ('custom_id', 'invalid_request', 'custom_id is a string of 1 to 512 characters.'),
      ('method', 'invalid_request', 'The method is POST.'),
      ('url', 'url_mismatch', 'The url is not the batch''s endpoint.'),
      ('body', 'invalid_request', 'The body is a JSON object.'),
      ('body.model', 'invalid_request', 'The body names a model.'),
      ('body.stream', 'invalid_request', 'A batch does not stream.')
    ) f(about, fault, message) where f.about = param;
  end if;
exception when data_exception or statement_too_complex then
  fault := 'invalid_json_line'; message := 'The line is not valid JSON.';
end
$$;

-- model_fault: why a batch of p_api cannot use this model or route; null: it can. Params: p_tenant: the batch's; null: of none.
create or replace function sluice.model_fault(p_model text, p_api text, p_tenant text) returns text
language plpgsql stable
as $$
begin
  if not exists (select from sluice.models where name = p_model) and not exists (select from sluice.routes where route = p_model) then
    return format('There is no model %s.', sluice.quoted(p_model));
  end if;
  perform sluice.require_api(p_model, p_api);
  if (select sluice.exceeds(l, 0, p_model) from sluice.limits_of(coalesce(p_tenant, 'default')) l) then
    return format('This tenant may not use the model %s.', sluice.quoted(p_model));
  end if;
  return null;
exception when sqlstate 'SL001' then
  return format('The model %s does not take requests of this endpoint.', sluice.quoted(p_model));
end
$$;

-- quoted: a name or id in a message: in JSON's quotes, at most 100 characters of it.
create or replace function sluice.quoted(p_text text) returns text
language sql immutable parallel safe
as $$ select to_json(left(p_text, 100))::text $$;

-- validate_batch: looks at the next part of the input, or ends the validation after the last one.
-- Returns: the batch as it is then.
create or replace function sluice.validate_batch(p_batch sluice.batch, p_now timestamptz) returns sluice.batch
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_lines int := (select f.lines from sluice.file f where f.id = p_batch.input_file);
  v_default text := sluice.default_model();
  v_stored int;
  v_errors jsonb;
begin
  if v_lines is null or v_lines > sluice.batch_lines_max() then
    return sluice.fail_batch(p_batch, jsonb_build_array(case when v_lines is null
      then jsonb_build_object('code', 'invalid_request', 'message', 'The input file is gone.', 'param', 'input_file_id', 'line', null)
      else jsonb_build_object('code', 'too_many_tasks', 'message', format('The file has %s lines, a batch at most %s.', v_lines,
        sluice.batch_lines_max()), 'param', null, 'line', null) end), p_now);
  elsif not exists (select from sluice.file_part p where p.file = p_batch.input_file and p.n = p_batch.position) then
    if p_batch.errors is null and p_batch.total = 0 then
      p_batch.errors := '[{"code": "empty_file", "message": "The file has no requests.", "param": null, "line": null}]';
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
  models as materialized (
    select m.model, sluice.model_fault(m.model, sluice.endpoint_api(p_batch.endpoint), p_batch.tenant) as message
    from (select distinct r.model from read r where r.fault is null) m),
  stored as (
    insert into sluice.batch_line (batch, line, custom_id, model)
    select p_batch.id, r.line, r.custom_id, r.model from read r where r.fault is null order by r.line
    on conflict do nothing returning line),
  judged as (
    select r.line, coalesce(r.fault, 'model_not_found') as code, coalesce(r.message, m.message) as message,
      case when r.fault is null then 'body.model' else r.param end as param
    from read r left join models m on m.model = r.model where r.fault is not null or m.message is not null
    union all
    select r.line, 'duplicate_custom_id', format('The custom_id %s is there more than once.', sluice.quoted(r.custom_id)), 'custom_id'
    -- "not in" is hashed; "not exists" compared all with all: a step of 5,000 lines took 1.7 s instead of 0.26.
    from read r where r.fault is null and r.line not in (select s.line from stored s))
  select (select count(*) from stored), (
    select jsonb_agg(jsonb_build_object('code', j.code, 'line', j.line, 'message', j.message, 'param', j.param) order by j.line)
    from (select * from judged order by line limit sluice.batch_errors_max() - coalesce(jsonb_array_length(p_batch.errors), 0)) j)
  into v_stored, v_errors;
  update sluice.batch set position = position + 1, total = total + v_stored, look_at = p_now,
    errors = case when v_errors is null then errors else coalesce(errors, '[]') || v_errors end
  where id = p_batch.id returning * into p_batch;
  if jsonb_array_length(p_batch.errors) >= sluice.batch_errors_max() then
    return sluice.fail_batch(p_batch, p_batch.errors, p_now);
  end if;
  return p_batch;
end
$$;

-- fail_batch: the batch ends because of its input: no line of it was submitted.
create or replace function sluice.fail_batch(p_batch sluice.batch, p_errors jsonb, p_now timestamptz) returns sluice.batch
language plpgsql volatile
as $$
begin
  delete from sluice.batch_line where batch = p_batch.id;
  update sluice.batch set phase = 'done', ending = 'failed', ended_at = p_now, errors = p_errors, total = 0
  where id = p_batch.id returning * into p_batch;
  return p_batch;
end
$$;

-- submit_batch: submits a page of the lines of one part that are not tasks yet, or as many of them as the queue takes.
create or replace function sluice.submit_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_before int := sluice.part_begin(p_batch.input_file, p_batch.position);
  v_count int := (select p.lines from sluice.file_part p where p.file = p_batch.input_file and p.n = p_batch.position);
  v_lines int[];
  v_models text[];
  v_drafts sluice.draft[];
  v_chosen int;
  v_settled int;
begin
  if v_count is null then
    update sluice.batch_line b set error_code = 'SL006', error = 'the input file is gone'
    where b.batch = p_batch.id and b.task_id is null and b.error_code is null;
    update sluice.batch set phase = 'run', position = 0, look_at = p_now where id = p_batch.id;
    return;
  end if;
  -- Not joined: what the planner believes of a table that is empty most of the time would make it all lines of the batch times
  -- those of the part (15,000 lines: 2 to 20 s a step, so 0.1).
  select array_agg(b.line order by b.line), array_agg(b.model order by b.line) into v_lines, v_models from (
    select b.line, b.model from sluice.batch_line b
    where b.batch = p_batch.id and b.line between v_before + 1 and v_before + v_count
      and b.task_id is null and b.error_code is null order by b.line limit sluice.batch_page_lines()) b;
  -- The body byte for byte as it was sent: a piece of a json is its text.
  v_chosen := coalesce(cardinality(v_lines), 0);
  v_drafts := array(
    select sluice.draft_of(row(null, v_models[array_position(v_lines, l.line)], null, p_batch.tenant, null, p_batch.expires_at, null,
      null, l.body::json -> 'body', null, null, p_batch.id, null)::sluice.draft)
    from sluice.batch_part(p_batch.input_file, p_batch.position) l where l.line = any (v_lines) order by l.line);
  v_settled := sluice.submit_lines(p_batch, v_lines, v_drafts, p_now);
  update sluice.batch
  set position = p_batch.position + (v_settled = v_chosen and v_chosen < sluice.batch_page_lines())::int,
    look_at = case when v_settled < v_chosen then p_now + interval '1 s' else p_now end
  where id = p_batch.id;
end
$$;

-- submit_lines: submits the first of these lines: all or, while the queue refuses so many, half of them, and so on.
-- Params:  p_lines: their numbers, ascending; p_drafts: of each its task.
-- Returns: how many are settled: tasks, or refused for good.
create or replace function sluice.submit_lines(
  p_batch sluice.batch, p_lines int[], p_drafts sluice.draft[], p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_count int := coalesce(cardinality(p_lines), 0);
  v_ids bigint[];
begin
  while v_count > 0 loop
    begin
      perform sluice.check_drafts(p_drafts[:v_count], true, p_now);
      v_ids := sluice.submit_drafts(p_drafts[:v_count], null, 1, p_now);
      update sluice.batch_line b set task_id = v_ids[array_position(p_lines, b.line)]
      where b.batch = p_batch.id and b.line between p_lines[1] and p_lines[v_count] and b.line = any (p_lines[:v_count]);
      return v_count;
    exception
      when sqlstate 'SL003' or sqlstate 'SL005' then
        v_count := v_count / 2;
      when others then
        return sluice.submit_lines_singly(p_batch, p_lines[:v_count],
          array(select to_json(d)::text from unnest(p_drafts[:v_count]) d), p_now);
    end;
  end loop;
  return 0;
end
$$;

-- submit_lines_singly: submit_lines where some line is to blame: it fails alone.
create or replace function sluice.submit_lines_singly(p_batch sluice.batch, p_lines int[], p_tasks text[], p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_nothing text[] := array_fill(null::text, array[cardinality(p_lines)]);
  v_tenants text[] := case when p_batch.tenant is null then v_nothing
                        else array_fill(p_batch.tenant, array[cardinality(p_lines)]) end;
  v_lines int[];
  v_ids bigint[];
  v_codes text[];
  v_errors text[];
begin
  select array_agg(p_lines[e.place] order by e.place), array_agg(e.id order by e.place), array_agg(e.code order by e.place),
    array_agg(e.message order by e.place)
  into v_lines, v_ids, v_codes, v_errors
  from sluice.submit_each_in_order(p_tasks, v_tenants, v_nothing, null, p_now) e
  where e.code is null or e.code not in ('SL003', 'SL005', '55P03');
  update sluice.batch_line b
  set task_id = v_ids[array_position(v_lines, b.line)], error_code = v_codes[array_position(v_lines, b.line)],
    error = v_errors[array_position(v_lines, b.line)]
  where b.batch = p_batch.id and b.line between v_lines[1] and v_lines[cardinality(v_lines)] and b.line = any (v_lines);
  return coalesce(cardinality(v_lines), 0);
end
$$;

-- await_batch: counts the lines that have ended; with the last one the results are due. It looks again in twenty times as long as
-- that took, and every 500 ms at most: a twentieth of a core for the largest batch.
create or replace function sluice.await_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_begun timestamptz := clock_timestamp();
begin
  p_batch := sluice.count_batch(p_batch);
  if p_batch.completed + p_batch.failed >= p_batch.total then
    update sluice.batch set phase = 'write', position = 0, finalizing_at = p_now, look_at = p_now where id = p_batch.id;
  else
    update sluice.batch set look_at = p_now + greatest(20 * (clock_timestamp() - v_begun), interval '500 ms') where id = p_batch.id;
  end if;
end
$$;

-- count_batch: counts the lines that have ended. What the end of the batch has cut off counts as neither.
-- Returns: the batch as it is then.
create or replace function sluice.count_batch(p_batch sluice.batch) returns sluice.batch
language plpgsql volatile
as $$
begin
  update sluice.batch set (completed, failed) = (
    select count(*) filter (where r.status = 'solved'),
      count(*) filter (where l.error_code is not null or r.status = 'failed' or (r.status <> 'solved' and p_batch.ending is null))
    from sluice.batch_line l left join sluice.result r on r.task_id = l.task_id where l.batch = p_batch.id)
  where id = p_batch.id returning * into p_batch;
  return p_batch;
end
$$;

-- stop_batch: cancels what a page of lines has under way; after the last page, and while some call is yet to be aborted, anew.
-- Most of it waits in a line, and ends in one statement; task by task 50,000 took 40 s, and other batches waited for it.
create or replace function sluice.stop_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_ids bigint[];
  v_left int;
  v_last int;
  v_task record;
begin
  select array_agg(u.task_id), count(*), max(u.line) into v_ids, v_left, v_last
  from (select l.line, l.task_id
        from sluice.batch_line l join sluice.task t on t.id = l.task_id
        where l.batch = p_batch.id and l.line > p_batch.position
          and not exists (select from sluice.result r where r.task_id = l.task_id)
        order by l.line limit sluice.batch_page_lines()) u;
  perform sluice.end_waiting(p.place, p.ids, 'cancelled', p_now)
  from (select 'queue_' || sluice.line_name(sluice.line_of(t.model, t.route, t.api)) as place, array_agg(t.id) as ids
        from sluice.task t where t.id = any (v_ids) group by 1
        union all select 'later', v_ids) p
  where p.place is not null and to_regclass('sluice.' || p.place) is not null;
  for v_task in
    select t.id, t.model, t.route from sluice.task t
    where t.id = any (v_ids) and not exists (select from sluice.result r where r.task_id = t.id) order by t.id
  loop
    perform sluice.cancel_found(v_task.id, v_task.model, v_task.route, p_now);
  end loop;
  if v_left = 0 and p_batch.position = 0 then
    -- A whole round found nobody: what was never submitted, or has been forgotten, is the writer's business.
    p_batch := sluice.count_batch(p_batch);
    update sluice.batch set phase = 'write', look_at = p_now where id = p_batch.id;
  elsif v_left < sluice.batch_page_lines() then
    update sluice.batch set position = 0, look_at = p_now + interval '250 ms' where id = p_batch.id;
  else
    update sluice.batch set position = v_last, look_at = p_now where id = p_batch.id;
  end if;
end
$$;

-- result_line: a line of OpenAI's output or error file.
-- Params:  p_result: of the task, all null if it has none; p_refusal, p_refusal_text: why there was no task.
create or replace function sluice.result_line(
  p_batch sluice.batch, p_line int, p_custom_id text, p_result sluice.result, p_refusal text, p_refusal_text text) returns text
language plpgsql stable
as $$
declare
  v_code text := sluice.line_error_code(p_batch, p_result, p_refusal);
  v_text text := coalesce(p_result.error, p_refusal_text, 'This request could not be executed before the batch ended.');
  v_body text := case  -- null: there is no response, but an error
    when p_result.status = 'solved' then coalesce(translate(p_result.response, E'\r\n', '  '), 'null')
    when p_result.status = 'failed' and p_result.http_status >= 400 then
      json_build_object('error', json_build_object('message', v_text, 'type', v_code, 'param', null, 'code', v_code))::text end;
begin
  return format('{"id":"batch_req_%s_%s","custom_id":%s,"response":%s,"error":%s}' || E'\n', p_batch.id, p_line, to_json(p_custom_id),
    case when v_body is null then 'null' else format('{"status_code":%s,"request_id":"task_%s","body":%s}',
      coalesce(p_result.http_status, 200), p_result.task_id, v_body) end,
    case when v_body is null then json_build_object('code', v_code, 'message', v_text)::text else 'null' end);
end
$$;

-- line_error_code: why a line has no answer, in OpenAI's words where it has some.
create or replace function sluice.line_error_code(p_batch sluice.batch, p_result sluice.result, p_refusal text) returns text
language sql immutable
as $$
  select case
    when p_refusal is not null then 'invalid_request'
    when p_batch.ending is not null and (p_result.status is null or p_result.status <> 'failed') then 'batch_' || p_batch.ending
    when p_result.status = 'failed' then coalesce(p_result.error_code, 'failed')
    when p_result.status is null then 'result_gone'
    else 'batch_' || p_result.status end
$$;

-- message_result_line: a line of Anthropic's results.
create or replace function sluice.message_result_line(
  p_batch sluice.batch, p_custom_id text, p_result sluice.result, p_refusal text, p_refusal_text text) returns text
language plpgsql stable
as $$
declare
  v_code text := sluice.line_error_code(p_batch, p_result, p_refusal);
begin
  return format('{"custom_id":%s,"result":%s}' || E'\n', to_json(p_custom_id), case
    when p_result.status = 'solved' then
      format('{"type":"succeeded","message":%s}', coalesce(translate(p_result.response, E'\r\n', '  '), 'null'))
    when p_batch.ending is not null and v_code = 'batch_cancelled' then '{"type":"canceled"}'
    when p_batch.ending is not null and v_code = 'batch_expired' then '{"type":"expired"}'
    else format('{"type":"errored","error":%s}', json_build_object('type', 'error', 'error', json_build_object(
      'type', case when p_refusal is null and coalesce(p_result.http_status, 500) >= 500 then 'api_error' else 'invalid_request_error' end,
      'message', coalesce(p_result.error, p_refusal_text, v_code)))) end);
end
$$;

-- write_batch: puts the results of a page of lines into the batch's files; after the last page the batch has ended.
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
    select l.line, l.custom_id, l.error_code, l.error, r as result,
      sum(octet_length(r.response)) over (order by l.line rows unbounded preceding) as bytes
    from (select * from sluice.batch_line l where l.batch = p_batch.id and l.line > p_batch.position
          order by l.line limit sluice.batch_page_lines()) l
    left join sluice.result r on r.task_id = l.task_id),
  kept as materialized (
    select p.line, coalesce((p.result).status = 'solved', false) as solved, case when v_messages
      then sluice.message_result_line(p_batch, p.custom_id, p.result, p.error_code, p.error)
      else sluice.result_line(p_batch, p.line, p.custom_id, p.result, p.error_code, p.error) end as text
    from page p where coalesce(p.bytes, 0) <= sluice.batch_page_bytes() or p.line = (select min(line) from page))
  select max(k.line), string_agg(k.text, '' order by k.line) filter (where k.solved or v_messages),
    string_agg(k.text, '' order by k.line) filter (where not (k.solved or v_messages))
  into v_last, v_outputs, v_errors from kept k;
  if v_last is null then
    perform sluice.end_batch(p_batch, p_now);
    return;
  end if;
  -- Not in the update: where it meets a cancel it would call them once more.
  p_batch.output_file := sluice.put_out(p_batch, p_batch.output_file, 'output', v_outputs, p_now);
  p_batch.error_file := sluice.put_out(p_batch, p_batch.error_file, 'errors', v_errors, p_now);
  update sluice.batch set position = v_last, look_at = p_now, output_file = p_batch.output_file, error_file = p_batch.error_file
  where id = p_batch.id;
end
$$;

-- put_out: appends lines to one of a batch's files, which is made if there is none.
-- Params:  p_name: output or errors; p_text: lines, or null.
-- Returns: the file, null while there is none.
create or replace function sluice.put_out(p_batch sluice.batch, p_file bigint, p_name text, p_text text, p_now timestamptz) returns bigint
language plpgsql volatile
as $$
begin
  if p_text is null then
    return p_file;
  elsif p_file is null then
    p_file := sluice.begin_file('batch_output', format('batch_%s_%s.jsonl', p_batch.id, p_name), p_batch.tenant, p_now);
    update sluice.file f set expires_at = p_now + p_batch.output_lifetime where f.id = p_file;  -- writing may take its time
  end if;
  perform sluice.append_file(p_file, (select count(*)::int from sluice.file_part p where p.file = p_file),
    length(p_text) - length(replace(p_text, E'\n', '')), p_text);
  return p_file;
end
$$;

-- end_batch: all results are written: the batch has ended, its files are there.
create or replace function sluice.end_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  perform sluice.end_file(f, p_batch.output_lifetime) from unnest(array[p_batch.output_file, p_batch.error_file]) f
  where f is not null;
  delete from sluice.batch_line where batch = p_batch.id;
  update sluice.batch set phase = 'done', ended_at = p_now where id = p_batch.id;
end
$$;
