-- newest_ids: the newest tasks of the caller's tenants, by id, all or those of one status. Read from the place that the
-- status names, in the order of its key: sorting sluice.tasks would read a place to its end (measured with 195,000
-- waiting: 930 ms, this way 3 ms). What has not ended has its tenant there: of others' tasks nothing else is read (125,000 waiting
-- ones of another tenant: 170 ms, with their rows of sluice.task 610).
-- Params:  status: as in sluice.tasks (null: any); max_tasks: at most this many; before: ids below this one (null: all);
--          tenant: this one's only (null: all of the caller's).
-- Returns: ids, descending. Then ask sluice.task for each: it may have moved on meanwhile.
create or replace function sluice.newest_ids(
  status text default null, max_tasks int default 50, before bigint default null, tenant text default null)
returns setof bigint
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_place text := case when newest_ids.status is null then 'task' else coalesce(
    ('{"unsolved": "later", "queued": "queue", "processing": "lease"}'::jsonb) ->> newest_ids.status, 'result') end;
begin
  return query execute format('
    select n.id from sluice.caller_scope() c cross join lateral (
      select p.%1$s as id from sluice.%2$s where (%3$s.tenant = any (c.tenants)) = c.bound and p.%1$s < coalesce($1, 9223372036854775807)
        and ($2 is null or %3$s.tenant = $2) order by p.%1$s desc limit $3) n',
    case v_place when 'task' then 'id' else 'task_id' end,
    -- The partial index of results needs its condition said as it stands there.
    case when v_place <> 'result' then v_place || ' p'
      else format('result p join sluice.task t on t.id = p.task_id and p.status %s and p.status = %L',
        case newest_ids.status when 'solved' then '= ''solved''' else '<> ''solved''' end, newest_ids.status) end,
    case v_place when 'result' then 't' else 'p' end)
  using newest_ids.before, newest_ids.tenant, max_tasks;
end
$$;

-- list_tasks: tasks of the caller's tenants within a range of ids, newest first: a page of a listing. One statement sees each task
-- in exactly one place, and reads each place along its key: a range that newest_ids has named (of its 1,000 ids, say) costs as much
-- as the tasks in it.
-- Params:  first: the least id; before: ids below this one (null: all); status, model: these only (null: any); max_bytes: of texts, at
--          most, but one task at least: then the page ends before its range does, and the next begins below the last id returned.
-- Returns: tasks, by id descending: those that are meant among the 1,000 newest of that status in the range, which newest_ids finds (of
--          400,000 in 10 ms; all of the range took 1.4 s).
create or replace function sluice.list_tasks(
  first bigint, before bigint default null, status text default null, model text default null, max_bytes bigint default 8388608)
returns setof sluice.tasks
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c_tasks_max constant int := 1000;
  v_first bigint := greatest(list_tasks.first, coalesce(
    (select min(i) from sluice.newest_ids(list_tasks.status, c_tasks_max, list_tasks.before) i), 9223372036854775807));
begin
  return query
  select (f.task).* from (
    select t as task, t.id, sum(octet_length(coalesce(t.prompt, t.request)) + coalesce(octet_length(t.answer), 0)
      + coalesce(octet_length(t.response), 0) + coalesce(octet_length(t.error), 0))
      over (order by t.id desc rows between unbounded preceding and 1 preceding) as bytes_before
    from sluice.tasks t
    where t.id >= v_first and t.id < coalesce(list_tasks.before, 9223372036854775807)
      and (list_tasks.status is null or t.status = list_tasks.status)
      and (list_tasks.model is null or t.model = list_tasks.model)) f
  where coalesce(f.bytes_before, 0) < max_bytes
  order by f.id desc;
end
$$;

-- ended: which of these tasks have an outcome.
-- Params:  ids: of the HTTP front's waiting clients, all in one statement (5,000 take 5 ms).
create or replace function sluice.ended(ids bigint[]) returns setof bigint
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query select i from unnest(ended.ids) i where exists (select from sluice.result r where r.task_id = i);
end
$$;
