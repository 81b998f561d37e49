-- Lists of tasks: pages by status, and summaries of recent ends and failures.

-- newest_ids: the newest tasks of the caller's tenants by id, all or those of one status.
-- Params:  status: as in sluice.tasks (null: any); max_tasks: at most this many; before: ids below
--          this one (null: all); tenant: only this one's (null: all of the caller's).
-- Returns: ids, descending. Then call sluice.task for each: it may have moved meanwhile.
--
-- Read from the place that the status names, in the order of its key: sorting sluice.tasks would
-- read the whole place (measured with 195,000 waiting: 930 ms, this way 3 ms). Places of unfinished
-- tasks have the tenant, so nothing else is read of other tenants' tasks (with 125,000 of another
-- tenant waiting: 170 ms; 610 with their rows of sluice.task).
create or replace function sluice.newest_ids(
  status text default null, max_tasks int default 50, before bigint default null,
  tenant text default null)
returns setof bigint
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_place text := case when newest_ids.status is null then 'task' else coalesce(
    ('{"unsolved": "later", "queued": "queue", "processing": "lease"}'::jsonb)
      ->> newest_ids.status, 'result') end;
begin
  return query execute format('
    select n.id from sluice.caller_scope() c cross join lateral (
      select p.%1$s as id from sluice.%2$s (%3$s.tenant = any (c.tenants)) = c.bound
        and p.%1$s < coalesce($1, 9223372036854775807)
        and ($2 is null or %3$s.tenant = $2) order by p.%1$s desc limit $3) n',
    case v_place when 'task' then 'id' else 'task_id' end,
    -- The partial index of results needs its condition said as it stands there.
    case when v_place <> 'result' then v_place || ' p where '
      else format('result p cross join lateral (select t.tenant from sluice.task t '
                  'where t.id = p.task_id limit 1) t where p.status %s and p.status = %L and ',
        case newest_ids.status when 'solved' then '= ''solved''' else '<> ''solved''' end,
          newest_ids.status) end,
    case v_place when 'result' then 't' else 'p' end)
  using newest_ids.before, newest_ids.tenant, max_tasks;
end
$$;

-- list_tasks: a page of a listing: tasks of the caller's tenants within a range of ids, newest
-- first. newest_ids finds the range.
-- Params:  first: the lowest id; before: ids below this one (null: all); status: only these (null:
--          any); model: only this one's (null: any); max_bytes: at most this many bytes of texts,
--          but at least one task: the page then ends before its range does, and the next begins
--          below the last id returned.
-- Returns: tasks, by id descending: those that match among the 1,000 newest of that status in the
--          range.
--
-- One statement sees each task in exactly one place, and reads each place along its key, so a range
-- found by newest_ids costs as much as the tasks in it (of 400,000 in 10 ms; the whole range took
-- 1.4 s).
create or replace function sluice.list_tasks(
  first bigint, before bigint default null, status text default null, model text default null,
  max_bytes bigint default 8388608)
returns setof sluice.tasks
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_tasks_max constant int := 1000;
  v_first bigint := greatest(list_tasks.first, coalesce(
    (select min(i) from sluice.newest_ids(list_tasks.status, c_tasks_max, list_tasks.before) i),
      9223372036854775807));
begin
  -- By their ids, for a row that a subquery hands on whole is read whole, with all its texts.
  return query
  select t.* from sluice.tasks t where t.id = any (array(
    select f.id from (
      select t.id,
        sum(octet_length(coalesce(t.prompt, t.request)) + coalesce(octet_length(t.answer), 0)
        + coalesce(octet_length(t.response), 0) + coalesce(octet_length(t.error), 0))
        over (order by t.id desc rows between unbounded preceding and 1 preceding) as bytes_before
      from sluice.tasks t
      where t.id >= v_first and t.id < coalesce(list_tasks.before, 9223372036854775807)
        and (list_tasks.status is null or t.status = list_tasks.status)
        and (list_tasks.model is null or t.model = list_tasks.model)) f
    where coalesce(f.bytes_before, 0) < max_bytes))
  order by t.id desc;
end
$$;

-- recent_ends: how recent tasks ended: the latencies, tokens and failures that `sluice status` and
-- `sluice top` show. Looks at the newest 5,000 results at most.
-- Params:  within: how far back.
-- Returns: a row for each model (by its name at that time), for each tenant that the caller may act
--          for, and one of scope all. p50_s, p99_s: from the claim to the stored result, of solved
--          tasks; tokens_per_min: in and out, over the time from the first to the last of these
--          results.
--
-- Read by their key, and no text: some 30 ms, however many there are.
create or replace function sluice.recent_ends(
  within interval default '10 minutes', p_now timestamptz default null)
returns table (scope text, name text, solved bigint, failed bigint, tokens_per_min double precision,
  p50_s double precision,
               p99_s double precision)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  c_looked_at_max constant int := 5000;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return query
  with newest as materialized (
    select r.task_id, r.model, r.status, r.finished_at,
      coalesce(r.input_tokens, 0)::bigint + coalesce(r.output_tokens, 0) as tokens,
      case when r.status = 'solved'
        then extract(epoch from r.finished_at - r.started_at)::double precision end as took_s
    from sluice.result r order by r.task_id desc limit c_looked_at_max),
  span as (  -- of all that ended within, unless the bound cut some off
    select case when count(*) < c_looked_at_max then extract(epoch from recent_ends.within)
      else greatest(1, least(extract(epoch from recent_ends.within),
        extract(epoch from v_now - min(n.finished_at)))) end / 60 as min
    from newest n),
  ended as (
    select n.*, t.tenant from newest n cross join lateral (
      select t.tenant from sluice.task t where t.id = n.task_id limit 1) t
    where n.finished_at > v_now - recent_ends.within),
  told as (
    select case when grouping(e.model) = 0 then 'model' when grouping(e.tenant) = 0 then 'tenant'
      else 'all' end as scope,
      coalesce(e.model, e.tenant) as name, count(*) filter (where e.status = 'solved') as solved,
      count(*) filter (where e.status = 'failed') as failed, sum(e.tokens) as tokens,
      percentile_cont(array[0.5, 0.99]) within group (order by e.took_s) as took_s
    from ended e group by grouping sets ((e.model), (e.tenant), ()))
  select t.scope, t.name, t.solved, t.failed, (coalesce(t.tokens, 0) / s.min)::double precision,
    t.took_s[1], t.took_s[2]
  from told t cross join span s cross join sluice.caller_scope() c
  where t.scope = 'all' or t.name is not null
    and (t.scope = 'model' or (t.name = any (c.tenants)) = c.bound)
  order by t.scope, t.name;
end
$$;

-- recent_failures: how many calls failed recently, by model, kind and error code. Numbers and codes
-- only, no texts: everybody who may see the queues may see them, whatever the tenant. Looks at the
-- newest 10,000 attempts at most.
-- Params:  within: how far back.
-- Returns: one row for each model, kind (retry, failed, lost, returned, rerouted) and error code,
--          the most frequent first.
--
-- For `sluice doctor` and `sluice top`. Read by their key, so the answer is quick even when
-- everything fails.
create or replace function sluice.recent_failures(
  within interval default '10 minutes', p_now timestamptz default null)
returns table (model text, kind text, error_code text, calls bigint, latest timestamptz)
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_since timestamptz := coalesce(p_now, clock_timestamp()) - recent_failures.within;
begin
  return query
  select n.model, n.kind, n.error_code, count(*), max(n.ended_at)
  from (select a.model, a.kind, a.error_code, a.ended_at from sluice.attempt a order by a.id desc
    limit 10000) n
  where n.ended_at > v_since and n.kind in ('retry', 'failed', 'lost', 'returned', 'rerouted')
    and n.error_code is distinct from 'batch_failed'  -- the others of a batch, which is one call
  group by n.model, n.kind, n.error_code
  order by count(*) desc, max(n.ended_at) desc;
end
$$;
