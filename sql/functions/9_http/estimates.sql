-- Dry runs for clients of the HTTP front: estimates of tasks and batches. Nothing is stored.

-- estimate_object: the estimate of p_sums (7_read/estimates.sql) as clients see it: of all tasks,
-- and of those of each model or route.
create or replace function sluice.estimate_object(p_sums jsonb, p_now timestamptz) returns json
language sql volatile
as $$
  select json_build_object('object', 'estimate', 'count', coalesce(sum(e.count), 0),
    'input_tokens', coalesce(sum(e.input_tokens), 0),
    'output_tokens', coalesce(sum(e.output_tokens), 0),
    'cost_min', case when count(*) = count(e.cost_min) then coalesce(sum(e.cost_min), 0) end,
    'cost_max', case when count(*) = count(e.cost_max) then coalesce(sum(e.cost_max), 0) end,
    'expected_finish', case when count(*) = count(e.expected_finish)
      then max(e.expected_finish) end,
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
  return sluice.estimate_object(sluice.sums_of(sluice.drafts_of(
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
  fault as (
    select r.line, r.message from read r where r.fault is not null
    union all
    select min(r.line), sluice.model_fault(r.model, sluice.endpoint_api(p_endpoint), p_tenant)
    from read r where r.fault is null group by r.model)
  select (select sluice.sums_of_tasks(array_agg(q.name),
      array_agg(coalesce(p_tenant, 'default')), null, array_agg(q.body), null) from request q),
    (select array_agg(r.custom_id) from read r),
    (select format('%s: %s', f.line, f.message) from fault f where f.message is not null
      order by f.line limit 1)
  into sums, custom_ids, error;
end
$$;

-- estimate_batch: the estimate of a batch: a dry run of create_batch, or of create_message_batch,
-- that validates its lines at once.
-- Params:  body, tenant: as there; messages: Anthropic's API.
-- Returns: as estimate_array.
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
#variable_conflict use_column
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_body jsonb;
  v_file sluice.file;
  v_endpoint text := '/v1/messages';
  v_part record;
  v_line record;
  v_sums jsonb := '[]';
  v_ids text[] := '{}';
begin
  if not estimate_batch.messages then
    v_body := estimate_batch.body;
    v_file := sluice.batch_input(v_body, estimate_batch.tenant);
    v_endpoint := v_body ->> 'endpoint';
    perform sluice.check_batch_metadata(v_body -> 'metadata'),
      sluice.window_of(v_body ->> 'completion_window');
    if v_file.lines not between 1 and sluice.batch_lines_max() then
      raise exception 'the file has % lines, a batch 1 to %', v_file.lines,
        sluice.batch_lines_max() using errcode = 'SL004';
    end if;
  end if;
  for v_part in
    select array_agg(l.line order by l.line) as lines, array_agg(l.body order by l.line) as bodies
    from sluice.file_part p cross join lateral sluice.batch_part(p.file, p.n) l
    where p.file = v_file.id group by p.n
    union all
    select array_agg(r.n::int order by r.n), array_agg(sluice.message_line(r.request) order by r.n)
    from unnest(case when estimate_batch.messages
      then sluice.sent_requests(estimate_batch.body) end) with ordinality r(request, n)
    group by (r.n - 1) / 1000
  loop
    v_line := sluice.line_sums(v_part.lines, v_part.bodies, v_endpoint, estimate_batch.tenant);
    if v_line.error is not null then
      raise exception '% %', case when estimate_batch.messages then 'request' else 'line' end,
        v_line.error using errcode = 'SL004', hint = 'A batch with it would fail.';
    end if;
    v_sums := v_sums || v_line.sums;
    v_ids := v_ids || v_line.custom_ids;
  end loop;
  if (select count(*) > count(distinct i) from unnest(v_ids) i) then
    raise exception 'the custom_id % is there more than once', (select sluice.quoted(i)
      from unnest(v_ids) i group by i having count(*) > 1 limit 1) using errcode = 'SL004',
      hint = 'A batch with it would fail.';
  end if;
  return sluice.estimate_object(v_sums, v_now);
end
$$;
