-- submit_many: accepts many tasks in one statement, all or none: the same as sluice.submit for
-- each, many times faster.
-- Params:  tasks: a JSON array of objects whose keys are submit's argument names.
-- Returns: the ids, in the order of the array.
-- Errors:  as submit; if one element is at fault the message begins with its number (from 1). SL004
--          also for an unknown key; SL003 and SL005 also when all of them together are too many.
--
-- It reads, checks, numbers and stores all of them step by step, each step one statement over all.
create or replace function sluice.submit_many(tasks jsonb, p_now timestamptz default null)
returns setof bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := case when p_now is null then clock_timestamp()
    else sluice.now_for(p_now) end;
begin
  return query select unnest(sluice.submit_drafts(sluice.read_drafts(submit_many.tasks, v_now),
    null, null, 1, v_now));
end
$$;

-- submit_drafts: submit_many for tasks that have been typed and checked. Headroom is taken before
-- any text is stored.
-- Params:  p_ids: ids for tasks without keys; null: the next ones, for new tasks; p_api_keys: of
--          each task the id of the API key by which it came (null: all came without); p_share: the
--          share of the bounds of the system and of models from which on they count as full.
-- Returns: the id of each task, or that of the task which it repeats.
create or replace function sluice.submit_drafts(
  p_drafts sluice.task_draft[], p_ids bigint[], p_api_keys text[], p_share double precision,
  p_now timestamptz)
returns bigint[]
language plpgsql volatile
as $$
declare
  v_kept bigint[];
  v_destinations sluice.task_destination[];
  v_keyed boolean;
begin
  if p_ids is null then
    perform sluice.first_new_id() from sluice.gate g
      where g.server_started <> pg_postmaster_start_time();
    select coalesce(array_agg(nextval('sluice.task_id')), '{}'),
      bool_or(d.idempotency_key is not null)
    into p_ids, v_keyed from unnest(p_drafts) d;
    perform sluice.require_range(i) from unnest(array[p_ids[1], p_ids[cardinality(p_ids)]]) i
      where i is not null;
  end if;
  v_kept := p_ids;
  if v_keyed then
    v_kept := sluice.keep_keys(p_drafts, p_ids, p_api_keys);
    p_drafts := array(select p_drafts[n] from generate_subscripts(p_ids, 1) n
      where v_kept[n] = p_ids[n]);
    p_api_keys := array(select k.api_key from unnest(p_api_keys) with ordinality k(api_key, n)
      where v_kept[n] = p_ids[n] order by n);
    p_ids := array(select id from unnest(p_ids, v_kept) i(id, kept) where kept = id);
  end if;
  if p_ids <> '{}' then
    v_destinations := sluice.destinations_of(p_drafts, p_now);
    perform sluice.accept_many(v_destinations, p_share, p_now), sluice.store_drafts(p_drafts, p_ids,
      p_api_keys, v_destinations, p_now);
  end if;
  return v_kept;
end
$$;

-- keep_keys: keep_key for the idempotency keys of p_drafts and p_ids.
-- Returns: for each draft its own id, or the one to which its key was bound before.
-- Errors:  SL004 a key of import that came by one of p_api_keys.
-- Keys are taken in order, so that two calls with the same keys do not deadlock. Only hash joins:
-- the planner knows nothing of an array's length, and would join in n * n steps, or sort prompts.
create or replace function sluice.keep_keys(
  p_drafts sluice.task_draft[], p_ids bigint[], p_api_keys text[])
returns bigint[]
language plpgsql volatile
set enable_nestloop = off set enable_mergejoin = off set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  v_kept bigint[] := p_ids;
  v_old record;
begin
  for v_old in
    with keyed as materialized (
      select d.tenant, sha256(convert_to(d.idempotency_key, 'UTF8')) as key_sha256,
        p_ids[d.ordinality] as task_id, d.idempotency_key as key, d.ordinality as place,
        case when d.idempotency_key ^@ 'sluice import '
          then sluice.imported_content(p_api_keys[d.ordinality], d.ordinality)
          else sluice.content_sha256(d.model, d.prompt, d.request, d.max_output_tokens,
            d.schema_version) end as content_sha256
      from unnest(p_drafts) with ordinality d where d.idempotency_key is not null),
    bound as (
      insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
      select k.tenant, k.key_sha256, k.task_id, k.content_sha256 from keyed k
      order by k.tenant, k.key_sha256, k.task_id on conflict do nothing returning task_id)
    select k.* from keyed k left join bound b using (task_id)
    where b.task_id is null order by k.tenant, k.key_sha256, k.task_id
  loop
    v_kept[v_old.place] := sluice.keep_key(v_old.tenant, v_old.key, v_old.content_sha256,
      v_old.task_id, v_old.place);
  end loop;
  return v_kept;
end
$$;

-- imported_content: the content of a task with a key of import (import_key), which is not compared.
-- The HTTP front logs in as an administrator, so fault() lets its clients' keys pass.
-- Params:  p_api_key: by which it came (null: none); p_place: its number, for the message.
-- Errors:  SL004 it came by an API key.
create or replace function sluice.imported_content(p_api_key text, p_place bigint) returns bytea
language plpgsql immutable
as $$
begin
  if p_api_key is not null then
    raise exception 'task %: an idempotency_key that begins with "sluice import " is for '
      'administrators', p_place using errcode = 'SL004', column = 'idempotency_key',
      hint = 'A hash or a UUID is plenty.';
  end if;
  return '';
end
$$;

-- destinations_of: the lines to which p_drafts go, ascending, and the number of tasks of each
-- tenant and affinity key. Those with a key that name a route go to the lines of their keys' homes.
-- A line that is not made yet is the route's, for later: wake makes it.
-- Errors:  SL001: as target.
create or replace function sluice.destinations_of(
  p_drafts sluice.task_draft[], p_now timestamptz)
returns sluice.task_destination[]
language plpgsql volatile
-- as for keep_keys
set enable_nestloop = off set enable_mergejoin = off set jit = off
  set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    with counted as materialized (
      select coalesce(g.model, '') as name, g.verbatim, coalesce(g.schema_version, '') as version,
        coalesce(g.affinity_key, '') as key, g.tenant, g.tasks
      from (select d.model, d.request is not null as verbatim, d.schema_version, d.affinity_key,
          d.tenant, count(*)::int as tasks
        from unnest(p_drafts) d group by 1, 2, 3, 4, 5) g),
    target as materialized (
      select n.*, t.id as model, t.route, t.api, sluice.line_of(t.id, t.route, t.api,
        nullif(n.version, ''), null) as line
      from (select c.name, c.verbatim, c.version, max(c.key) <> '' as has_keys from counted c
        group by 1, 2, 3) n
      cross join lateral sluice.target(coalesce(nullif(n.name, ''), sluice.default_model()),
        n.verbatim) t),
    route as materialized (
      select t.*, h.* from target t cross join lateral sluice.homes_of(t.route, t.api, p_now) h
      where t.route is not null and t.has_keys),
    home as materialized (
      select r.name, r.verbatim, r.version, i.id as home, sluice.line_of(r.model, r.route, r.api,
        nullif(r.version, ''), i.id) as line
      from route r cross join lateral unnest(r.ids) i(id)),
    placed as materialized (
      select c.*, case when c.key <> '' then sluice.home_of(c.key, r.ids, r.weights) end as home
      from counted c left join route r using (name, verbatim, version))
    select array_agg(row(name, verbatim, coalesce(h.line, t.line), t.model, t.route, t.api,
        p.tenant, p.tasks, version, p.key, n.later)::sluice.task_destination
      order by coalesce(h.line, t.line), n.later)
    from placed p join target t using (name, verbatim, version)
    left join home h using (name, verbatim, version, home)
    cross join lateral (select home is not null and h.line is null as later) n);
end
$$;

-- store_drafts: stores p_drafts line by line.
-- Params:  p_ids: their ids; p_api_keys: of each that by which it came (null: none);
--          p_destinations: from destinations_of.
-- Errors:  as store_in_line.
create or replace function sluice.store_drafts(
  p_drafts sluice.task_draft[], p_ids bigint[], p_api_keys text[],
  p_destinations sluice.task_destination[], p_now timestamptz)
returns void
language plpgsql volatile
-- as for keep_keys
set enable_nestloop = off set enable_mergejoin = off set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  v record;
begin
  if p_destinations[1].line = p_destinations[cardinality(p_destinations)].line
    and p_destinations[1].later = p_destinations[cardinality(p_destinations)].later then
    perform sluice.store_in_line(p_drafts, p_ids, p_api_keys, p_destinations[1], p_now);
    return;
  end if;
  for v in
    select (select a from unnest(p_destinations) a where a.line = l.line and a.later = l.later
        limit 1) as destination,
      array_agg(d.draft) as drafts, array_agg(d.id) as ids, array_agg(d.api_key) as api_keys
    from (select unnest(p_drafts) as draft, unnest(p_ids) as id, unnest(p_api_keys) as api_key) d
    join (select distinct a.name, a.verbatim, a.version, a.affinity_key, a.line, a.later
        from unnest(p_destinations) a) l
      on l.name = coalesce((d.draft).model, '') and l.verbatim = ((d.draft).request is not null)
        and l.version = coalesce((d.draft).schema_version, '')
        and l.affinity_key = coalesce((d.draft).affinity_key, '')
    group by l.line, l.later order by l.line, l.later
  loop
    perform sluice.store_in_line(v.drafts, v.ids, v.api_keys, v.destination, p_now);
  end loop;
end
$$;

-- store_in_line: stores new tasks of one line: their texts, and their rows in the line, or in later
-- until their time.
-- Params:  p_api_keys: as store_drafts; p_destination: any that names the line.
-- Errors:  SL001: the model was deleted meanwhile.
create or replace function sluice.store_in_line(
  p_drafts sluice.task_draft[], p_ids bigint[], p_api_keys text[],
  p_destination sluice.task_destination, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_deferred boolean := p_destination.later or sluice.waits_for_commit(cardinality(p_drafts));
  v_name text := sluice.line_name(p_destination.line);
  v_by_prefix boolean := to_regproc('sluice.prefix_time_' || v_name) is not null;
  v_ready int := 0;
begin
  perform sluice.hold_line(p_destination.line);
  -- a line of a version is not the model's gauge
  perform sluice.hold_line(p_destination.model)
  where p_destination.line < 0 and p_destination.model is not null;
  insert into sluice.task (id, created_at, run_at, deadline, batch_id, model,
    max_output_tokens, priority, max_attempts, route, api, tenant, traceparent, metadata, prompt,
    request, api_key, schema_version, affinity_key, bounds)
  select p_ids[d.ordinality], p_now, d.run_at, d.deadline, d.batch_id, p_destination.model,
    d.max_output_tokens, d.priority,
    d.max_attempts, p_destination.route, p_destination.api, d.tenant, d.traceparent, d.metadata,
      d.prompt, d.request, d.api_key, nullif(p_destination.version, ''), d.affinity_key,
      case when d.request is not null then sluice.kept_bounds(
        (select sluice.api_of_bounds(p_destination.api, p_destination.model)), d.request) end
  -- in step: of an array of texts each element would be looked for from its beginning
  from rows from (unnest(p_drafts), unnest(p_api_keys)) with ordinality d(prompt, model, priority,
    tenant, run_at, deadline, idempotency_key, max_attempts, request, max_output_tokens, metadata,
    batch_id, traceparent, schema_version, affinity_key, api_key);
  if not v_deferred then
    execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence,
      rank, attempts, tenant)
    select $2[d.ordinality], %s, d.deadline, $3, octet_length(coalesce(d.prompt, d.request)), %s,
      -d.priority, 0, d.tenant
    from unnest($1) with ordinality d where coalesce(d.run_at <= $4, true)', 'queue_' || v_name,
      case when v_by_prefix
        then format('sluice.prefix_time_%s(d.affinity_key, d.prompt, d.request, $4)', v_name)
        else '$4' end, v_by_prefix::int)
    using p_drafts, p_ids, p_destination.model, p_now;
    get diagnostics v_ready = row_count;
  end if;
  if v_ready < cardinality(p_drafts) then  -- mostly all are ready: the drafts are read once less
    insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
      attempts, route, tenant)
    select p_ids[d.ordinality], greatest(d.run_at, p_now), d.deadline, p_destination.model,
      octet_length(coalesce(d.prompt, d.request)), 0,
      -d.priority, 0, p_destination.route, d.tenant
    from unnest(p_drafts) with ordinality d where v_deferred or d.run_at > p_now;
  end if;
  perform sluice.note_deadlines(p_destination.line, min(d.deadline), max(d.deadline))
  from unnest(p_drafts) d where not v_deferred and coalesce(d.run_at <= p_now, true);
  perform sluice.notify_ready(p_destination.line);
end
$$;
