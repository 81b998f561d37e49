-- Dry runs for clients of the HTTP front: estimates of tasks and batches. Nothing is stored.

-- estimate_object: the estimate of p_sums (7_read/estimates.sql) as clients see it: of all tasks,
-- and of those of each model or route.
-- Params:  p_read: of how many of them the sums were made, if not of all.
create or replace function sluice.estimate_object(
  p_sums jsonb, p_now timestamptz, p_read int default null)
returns json
language sql volatile
as $$
  select json_build_object('object', 'estimate', 'count', coalesce(sum(e.count), 0),
    'input_tokens', coalesce(sum(e.input_tokens), 0),
    'output_tokens', coalesce(sum(e.output_tokens), 0),
    'cost_min', case when count(*) = count(e.cost_min) then coalesce(sum(e.cost_min), 0) end,
    'cost_max', case when count(*) = count(e.cost_max) then coalesce(sum(e.cost_max), 0) end,
    'expected_finish', case when count(*) = count(e.expected_finish)
      then max(e.expected_finish) end,
    'read', p_read,
    'models', coalesce(json_agg(e order by e.model), '[]'))
  from sluice.estimate_sums(p_sums, p_now) e
$$;

-- estimate_array: the estimate of a JSON array of tasks that a client sent: a dry run of
-- submit_array.
-- Params:  as submit_array.
-- Returns: an object; its models are rows of estimate_many.
-- Errors:  as estimate_many; SL004 more than 10,000 tasks.
create or replace function sluice.estimate_array(
  body text, tenant text, key text, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_items json[] := sluice.sent_items(estimate_array.body);
begin
  return sluice.estimate_object(sluice.sums_of(sluice.read_drafts(
    sluice.tasks_of_bodies(v_items::text[], array_fill(estimate_array.tenant,
      array[cardinality(v_items)]), array(select estimate_array.key || '/' || n
        from generate_subscripts(v_items, 1) n), null), v_now)), v_now);
end
$$;

-- line_sums: the sums of p_bodies, lines of a batch's input.
-- Params:  p_lines: their numbers; p_tenant: the batch's (null: none).
-- Returns: sums; custom_ids: of all of them, for who looks for repeated ones; error: what is wrong
--          with the first line at fault.
create or replace function sluice.line_sums(
  p_lines int[], p_bodies text[], p_endpoint text, p_tenant text, out sums jsonb,
  out custom_ids text[], out error text)
language plpgsql volatile
as $$
declare
  v_default text := sluice.default_model();
begin
  with read as materialized (
    select l.line, l.body, r.* from unnest(p_lines, p_bodies) l(line, body)
    cross join lateral sluice.read_batch_line(l.body, p_endpoint, v_default) r),
  request as materialized (
    select r.model as name, (r.body::json -> 'body')::text as body from read r
    where r.fault is null),
  models as materialized (
    select sluice.model_faults(array(select r.model from read r where r.fault is null
      group by r.model), sluice.endpoint_api(p_endpoint), p_tenant) as faults),
  fault as (
    select r.line, r.message from read r where r.fault is not null
    union all
    select r.line, m.faults ->> r.model from models m cross join read r
    where r.fault is null and m.faults ? r.model)
  select (select sluice.sums_of_tasks(array_agg(q.name),
      array_agg(coalesce(p_tenant, 'default')), null, array_agg(q.body), null) from request q),
    (select array_agg(r.custom_id) from read r),
    (select format('%s: %s', f.line, f.message) from fault f order by f.line limit 1)
  into sums, custom_ids, error;
end
$$;

-- estimate_time: for how long lines of a batch are read before the rest is taken to be like them:
-- a file of 200 MB would take 10 s to 2 min, while other keys' bulk requests wait.
create or replace function sluice.estimate_time() returns interval
language sql immutable parallel safe
as $$ select interval '0.5 s' $$;

-- scaled_sums: p_sums, as if there were p_ratio (1 or more) times as many tasks. Running totals are
-- what is rounded, so that all pieces together are as many tasks as there are.
create or replace function sluice.scaled_sums(p_sums jsonb, p_ratio numeric) returns jsonb
language sql immutable
as $$
  with piece as (
    select p.sum, p.n, f.key, f.value::numeric as value,
      sum(f.value::numeric) over (partition by f.key order by p.n) as total
    from jsonb_array_elements(p_sums) with ordinality p(sum, n), jsonb_each(p.sum) f
    where f.key in ('tasks', 'bytes', 'bounded', 'bounds', 'inputs')),
  scaled as (
    select p.n, p.sum || jsonb_object_agg(p.key,
      round(p.total * p_ratio) - round((p.total - p.value) * p_ratio)) as sum
    from piece p group by p.n, p.sum)
  select coalesce(jsonb_agg(s.sum order by s.n), '[]') from scaled s
$$;

-- batch_piece: what a dry run of a batch reads at a time: a part of its file, or as much of its
-- requests, some 1 MB.
-- Params:  p_begins: of the requests, see piece_begins; p_n: which piece, from 0.
-- Returns: lines, bodies: of those that are not blank; count: how many there are in all.
create or replace function sluice.batch_piece(
  p_file bigint, p_requests json[], p_begins int[], p_n int,
  out lines int[], out bodies text[], out count int)
language plpgsql stable
as $$
declare
  v_begin int := p_begins[p_n + 1];
begin
  if p_file is null then
    select array_agg(v_begin - 1 + r.n::int order by r.n),
      array_agg(sluice.message_line(r.request) order by r.n), count(*) into lines, bodies, count
    from unnest(p_requests[v_begin
      : coalesce(p_begins[p_n + 2] - 1, cardinality(p_requests))]) with ordinality r(request, n);
  else
    select array_agg(l.line order by l.line), array_agg(l.body order by l.line),
      (select p.lines from sluice.file_part p where p.file = p_file and p.n = p_n)
    into lines, bodies, count from sluice.batch_part(p_file, p_n) l;
  end if;
end
$$;

-- estimate_batch: the estimate of a batch: a dry run of create_batch, or of create_message_batch,
-- that validates at once the lines that it reads: those that can be read in estimate_time.
-- Params:  body, tenant: as there; messages: Anthropic's API.
-- Returns: as estimate_array; read: how many lines were read, if not all.
-- Errors:  SL004 what is wrong with the body, or with the first line at fault; SL006 no such file;
--          SL009 as there.
create or replace function sluice.estimate_batch(
  body text, tenant text, messages boolean, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
-- as advance_batches
set work_mem = '64MB'
as $$
declare
  c_step constant int := 1000;  -- of lines, between two looks at the clock: 0.1 s
  v_stop timestamptz := clock_timestamp() + sluice.estimate_time();
  v_body jsonb;
  v_file sluice.file;
  v_requests json[];
  v_begins int[];
  v_endpoint text := '/v1/messages';
  v_count int;     -- of lines
  v_read int := 0;
  v_piece record;
  v_line record;
  v_sums jsonb := '[]';
  v_ids text[] := '{}';
begin
  if estimate_batch.messages then
    v_requests := sluice.sent_requests(estimate_batch.body);
    v_begins := sluice.piece_begins(v_requests);
    v_count := cardinality(v_requests);
  else
    v_body := estimate_batch.body;
    v_file := sluice.batch_input(v_body, estimate_batch.tenant);
    v_endpoint := v_body ->> 'endpoint';
    v_count := v_file.lines;
    perform sluice.check_batch_metadata(v_body -> 'metadata'),
      sluice.window_of(v_body ->> 'completion_window'),
      sluice.lifetime_of(v_body -> 'output_expires_after', null);
    if v_count not between 1 and sluice.batch_lines_max() then
      raise exception 'the file has % lines, a batch 1 to %', v_count,
        sluice.batch_lines_max() using errcode = 'SL004';
    end if;
  end if;
  <<pieces>>
  for n in 0 .. v_count loop
    v_piece := sluice.batch_piece(v_file.id, v_requests, v_begins, n);
    for i in 1 .. coalesce(cardinality(v_piece.lines), 0) by c_step loop
      v_line := sluice.line_sums(v_piece.lines[i:i + c_step - 1],
        v_piece.bodies[i:i + c_step - 1], v_endpoint, estimate_batch.tenant);
      if v_line.error is not null then
        raise exception '% %', case when estimate_batch.messages then 'request' else 'line' end,
          v_line.error using errcode = 'SL004', hint = 'A batch with it would fail.';
      end if;
      v_sums := v_sums || v_line.sums;
      v_ids := v_ids || v_line.custom_ids;
      v_read := v_read + least(c_step, cardinality(v_piece.lines) - i + 1);
      exit pieces when clock_timestamp() > v_stop;
    end loop;
    v_read := v_read + coalesce(v_piece.count - coalesce(cardinality(v_piece.lines), 0), v_count);
    exit when v_read >= v_count;
  end loop;
  if (select count(*) > count(distinct i) from unnest(v_ids) i) then
    raise exception 'the custom_id % is there more than once', (select sluice.quoted(i)
      from unnest(v_ids) i group by i having count(*) > 1 limit 1) using errcode = 'SL004',
      hint = 'A batch with it would fail.';
  end if;
  if v_read < v_count then
    return sluice.estimate_object(sluice.scaled_sums(v_sums,
      v_count::numeric / greatest(1, v_read)), sluice.now_for(p_now), v_read);
  end if;
  return sluice.estimate_object(v_sums, sluice.now_for(p_now));
end
$$;
