-- What a search answers: tasks with their facts, and how far it came.

-- found_tasks: tasks p_ids without their texts, in that order, from the place where each is now.
-- One that moves from one place to another meanwhile is looked for again.
create or replace function sluice.found_tasks(p_ids bigint[]) returns setof sluice.found_task
language plpgsql volatile
as $$
declare
  v_found sluice.found_task[] := '{}';
  v_left bigint[] := p_ids;
begin
  for v_try in 1 .. 10 loop
    v_found := v_found || array(
      select row(t.id, coalesce(r.status, p.status), t.route, coalesce(r.model, m.name), t.tenant,
        t.priority, coalesce(r.attempts, p.attempts), r.error_code, r.error, t.batch_id,
        t.metadata, t.created_at, coalesce(r.queued_at, p.queued_at),
        coalesce(r.started_at, p.started_at), r.finished_at, t.run_at, t.deadline,
        trim_scale(r.cost), r.input_tokens, r.output_tokens)::sluice.found_task
      from unnest(v_left) i(id)
      cross join lateral (select t.id, t.route, t.model, t.tenant, t.priority, t.batch_id,
        t.metadata, t.created_at, t.run_at, t.deadline from sluice.task t
        where t.id = i.id offset 0) t
      left join lateral (select r.status, r.model, r.attempts, r.error_code, r.error, r.queued_at,
        r.started_at, r.finished_at, r.cost, r.input_tokens, r.output_tokens
        from sluice.result r where r.task_id = t.id offset 0) r on true
      left join lateral (select p.* from sluice.find_place(t.id, t.model, t.route) p
        where r.status is null) p on true
      left join sluice.models m on m.id = p.model
      where coalesce(r.status, p.status) is not null);
    v_left := array(select i from unnest(v_left) i
      where not exists (select from unnest(v_found) f where f.id = i));
    exit when v_left = '{}';
  end loop;
  return query select f.* from unnest(v_found) f order by array_position(p_ids, f.id);
end
$$;

-- check_search: SL004 for conditions that no task can meet.
create or replace function sluice.check_search(p_conditions sluice.search_conditions) returns void
language plpgsql immutable
as $$
declare
  c_statuses constant text[] := array['unsolved', 'queued', 'processing', 'solved', 'failed',
    'cancelled', 'expired'];
  c_limit_max constant int := 200;
begin
  if p_conditions.status <> all (c_statuses) then
    raise exception 'there is no status "%"', left(p_conditions.status, 200)
      using errcode = 'SL004', column = 'status',
      hint = 'It is one of ' || array_to_string(c_statuses, ', ') || '.';
  elsif p_conditions."limit" not between 1 and c_limit_max then
    raise exception 'limit is 1 to %, not %', c_limit_max, p_conditions."limit"
      using errcode = 'SL004', column = 'limit';
  elsif p_conditions.metadata_key is null and p_conditions.metadata_value is not null then
    raise exception 'metadata_value has no metadata_key' using errcode = 'SL004',
      column = 'metadata_key', hint = 'Say which key of metadata has that value.';
  elsif octet_length(concat(p_conditions.text, p_conditions.metadata_key,
      p_conditions.metadata_value)) > 1024 then
    raise exception 'text, metadata_key and metadata_value have more than 1024 bytes'
      using errcode = 'SL004', column = 'text';
  end if;
end
$$;

-- find_tasks: the caller's tenants' tasks that meet all the given conditions, newest first, without
-- texts. It looks at the newest 10,000 tasks at most, with text at 2,000, for 100 ms or so; a
-- notice says where to go on.
-- Params:  status: as in sluice.tasks; model: of a model or a route: that a task named, was called
--          at or ended at; tenant: of this tenant; batch_id: of this batch; priority: exactly this;
--          since: submitted from then on; until: submitted before then; error_code: ended with it;
--          metadata_key: that the metadata has; metadata_value: of metadata_key; text: in the first
--          16,384 characters of prompt, request, answer or response, or in the error, in upper or
--          lower case; before: ids below this one; max_tasks: at most this many, 1 to 200 (null:
--          50).
-- Errors:  SL004 an unknown status; SL009 not this caller's tenant.
create or replace function sluice.find_tasks(
  status text default null, model text default null, tenant text default null,
  batch_id bigint default null, priority int default null, since timestamptz default null,
  until timestamptz default null, error_code text default null, metadata_key text default null,
  metadata_value text default null, text text default null, before bigint default null,
  max_tasks int default 50)
returns setof sluice.found_task
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_conditions sluice.search_conditions := row(find_tasks.status, find_tasks.model,
    find_tasks.tenant, find_tasks.batch_id, find_tasks.priority, find_tasks.since,
    find_tasks.until, find_tasks.error_code, find_tasks.metadata_key, find_tasks.metadata_value,
    find_tasks.text, find_tasks.before,
    coalesce(find_tasks.max_tasks, 50))::sluice.search_conditions;
  v_page record;
begin
  perform sluice.check_search(v_conditions);
  if v_conditions.tenant is not null then
    perform sluice.require_tenant(v_conditions.tenant);
  end if;
  v_page := sluice.search_ids(v_conditions, v_conditions."limit");
  if v_page.next_before is not null then
    raise notice 'looked at % tasks', v_page.looked_at
      using hint = format('There may be more: before => %s.', v_page.next_before);
  end if;
  return query select f.* from sluice.found_tasks(v_page.ids) f
    where find_tasks.status is null or f.status = find_tasks.status;
end
$$;
