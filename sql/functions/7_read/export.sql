-- Tasks and results by pages, the oldest first, for `sluice export`.

-- export_columns: what a line of an export has, in this order.
create or replace function sluice.export_columns() returns text[]
language sql immutable parallel safe security definer
set search_path = sluice, pg_temp
as $$
  select '{id, status, route, model, tenant, priority, metadata, batch_id, created_at, queued_at,
    started_at, finished_at, run_at, deadline, attempts, max_attempts, max_output_tokens,
    traceparent, input_tokens, output_tokens, cost, error_code, error, prompt, request, answer,
    response, schema_version, affinity_key}'::text[]
$$;

-- export_range: how far the next page of an export reaches.
-- Params:  after: ids above this one; max_tasks: at most so many of the caller's tasks.
-- Returns: the last id; null: there is none after it.
create or replace function sluice.export_range(after bigint, max_tasks int default 1000)
returns bigint
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return (select max(p.id) from (
    -- bound: tenants are those that the caller may see; otherwise those that he may not.
    select t.id from sluice.task t cross join sluice.caller_scope() c
    where t.id > export_range.after and (t.tenant = any (c.tenants)) = c.bound
    order by t.id limit max_tasks) p);
end
$$;

-- export_tasks: a page of an export: the caller's tasks in a range of ids that meet the conditions
-- (null: any), each once, in the place where it is now.
-- Params:  after: ids above this one; upto: up to this one (export_range); status: as in
--          sluice.tasks; model: or route; tenant, batch_id: only theirs; metadata: contained in the
--          task's; since, until: when it was submitted; ended_since, ended_until: when it ended;
--          texts: false: without prompt, request, answer and response; max_bytes: of texts, but at
--          least one task: the page then ends before its range does, and the next begins after the
--          last id returned; format: json or csv, in which texts that a spreadsheet would take for
--          a formula begin with an apostrophe.
-- Returns: line: the columns of sluice.tasks, and max_attempts, max_output_tokens and traceparent,
--          as an object, or in the order of export_columns().
create or replace function sluice.export_tasks(
  after bigint, upto bigint, status text default null, model text default null,
  tenant text default null, batch_id bigint default null, metadata jsonb default null,
  since timestamptz default null, until timestamptz default null,
  ended_since timestamptz default null, ended_until timestamptz default null,
  texts boolean default true, max_bytes bigint default 8388608, format text default 'json')
returns table (id bigint, line text)
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  with found as materialized (
    select t.id, t.status, t.route, t.model, t.tenant, t.priority, t.metadata, t.batch_id,
      t.created_at, t.queued_at, t.started_at, t.finished_at, t.run_at, t.deadline, t.attempts,
      s.max_attempts, s.max_output_tokens, s.traceparent, t.input_tokens, t.output_tokens, t.cost,
      t.error_code, t.error, x.prompt, x.request, x.answer, x.response, t.schema_version,
      t.affinity_key
    from sluice.tasks t cross join lateral (
      select s.max_attempts, s.max_output_tokens, s.traceparent from sluice.task s
      where s.id = t.id limit 1) s
    left join lateral (select t.prompt, t.request, t.answer, t.response) x on texts
    where t.id > export_tasks.after and t.id <= export_tasks.upto
      and (export_tasks.status is null or t.status = export_tasks.status)
      and (export_tasks.model is null or export_tasks.model in (t.model, t.route))
      and (export_tasks.tenant is null or t.tenant = export_tasks.tenant)
      and (export_tasks.batch_id is null or t.batch_id = export_tasks.batch_id)
      and (export_tasks.metadata is null or t.metadata @> export_tasks.metadata)
      and (export_tasks.since is null or t.created_at >= export_tasks.since)
      and (export_tasks.until is null or t.created_at < export_tasks.until)
      and (ended_since is null or t.finished_at >= ended_since)
      and (ended_until is null or t.finished_at < ended_until)),
  measured as (
    select f.id, f, sum(coalesce(octet_length(f.prompt), 0) + coalesce(octet_length(f.request), 0)
      + coalesce(octet_length(f.answer), 0) + coalesce(octet_length(f.response), 0)) over (
      order by f.id rows between unbounded preceding and 1 preceding) as bytes_before
    from found f)
  select m.id, case format when 'csv' then sluice.csv_line(row_to_json(m.f))
      else row_to_json(m.f)::text end
  from measured m where coalesce(m.bytes_before, 0) < max_bytes
  order by m.id;
end
$$;
