-- Lines: the only places where ready tasks wait. Each model has a line. Each route has one for
-- prompts and, for each api that its models speak, one for verbatim requests. A line is identified
-- by a number: a model's id, or minus the n of its row in sluice.route_line. With <l> being n, or
-- route_<n> for a route's line, a line has:
--   queue_<l>: a table that inherits sluice.queue, with the ready tasks of the line in the order
--   (rank, tenant's key, ready_at, task_id)
--   add_<l>, lanes_<l>, take_<l>, peek_<l>, draw_<l>: functions (5_lifecycle/generated.sql)
--   waits_<l>: an unlogged sequence, an upper bound of the number of rows, maintained only if there
--   is a max_queue (3_limits/backpressure.sql)
-- Tasks with a version of their payload wait in lines of their own, rows of sluice.route_line, too:
-- one for each version of a model, and one beside each line of a route. So a claim passes over
-- what its worker does not serve without looking at any task. Tasks of a route that have an
-- affinity key wait in lines of the route and the key's home (4_policy/affinity.sql).
-- Lines are created and dropped with their models, routes and versions, those of homes by wake;
-- never by a submit, a redrive or a claim.

-- line_name: the suffix of the names of a line's relations and functions.
create or replace function sluice.line_name(p_line int) returns text
language sql immutable parallel safe
as $$ select case when p_line < 0 then 'route_' || (-p_line)::text else p_line::text end $$;

-- place_of: the table of a line; line 0 is what waits for its time.
create or replace function sluice.place_of(p_line int) returns text
language sql immutable parallel safe
as $$ select case p_line when 0 then 'later' else 'queue_' || sluice.line_name(p_line) end $$;

-- line_of_place: the line whose table p_place is; null: of none.
create or replace function sluice.line_of_place(p_place text) returns int
language sql immutable parallel safe
as $$
  select case when p_place ~ '^queue_route_[0-9]+$' then -substr(p_place, 13)::int
    when p_place ~ '^queue_[0-9]+$' then substr(p_place, 7)::int end
$$;

-- line_of: the line in which a task waits: that of the model or route that it named. Null: there is
-- none, or no longer.
-- Params:  p_api: the api of a verbatim request for a route; p_version: of its payload; p_home: of
--          its affinity key, if it named a route.
create or replace function sluice.line_of(
  p_model int, p_route text, p_api text, p_version text, p_home int)
returns int
language plpgsql stable
as $$
begin
  return case when p_route is not null
      then (select -l.n from sluice.route_line l where l.route = p_route
        and l.api is not distinct from p_api and l.version is not distinct from p_version
        and l.model is not distinct from p_home)
    when p_version is null then p_model
    else (select -l.n from sluice.route_line l where l.version = p_version
      and l.model = p_model and l.route is null) end;
end
$$;

-- facts_of: a task without its texts. It is inlined where it is called, so they are not read: of
-- 120 tasks of 10 MB that took 0.3 s each.
create or replace function sluice.facts_of(p_task sluice.task) returns sluice.task_facts
language sql immutable parallel safe
as $$
  select row(p_task.id, p_task.model, p_task.route, p_task.api, p_task.schema_version,
    p_task.affinity_key, p_task.tenant, p_task.request is not null,
    octet_length(coalesce(p_task.prompt, p_task.request)),
    p_task.max_output_tokens)::sluice.task_facts
$$;

-- lines_of_task: the lines in which a task may wait: one, or if it has an affinity key those of all
-- homes.
create or replace function sluice.lines_of_task(p_task sluice.task_facts) returns int[]
language plpgsql stable
as $$
begin
  if p_task.route is null or p_task.affinity_key is null then
    return array[sluice.line_of(p_task.model, p_task.route, p_task.api, p_task.schema_version,
      null)];
  end if;
  return array(select -l.n from sluice.route_line l where l.route = p_task.route
    and l.api is not distinct from p_task.api
    and l.version is not distinct from p_task.schema_version order by 1);
end
$$;

-- lines_of_model: the lines of the tasks that named a model: its own, and those of its versions.
create or replace function sluice.lines_of_model(p_model int) returns int[]
language plpgsql stable
as $$
begin
  return array(select p_model union all select -n from sluice.route_line
    where model = p_model and route is null order by 1);
end
$$;

-- serves: whether a worker serves a model: the worker named that model or none, and speaks its api.
create or replace function sluice.serves(p_worker sluice.worker, p_model sluice.models)
returns boolean
language sql immutable parallel safe
as $$
  select (p_worker.models is null or p_model.name = any (p_worker.models))
    and (p_worker.apis is null or p_model.api = any (p_worker.apis))
$$;

-- serves_version: whether a worker serves a version of payloads; null: none, which all serve.
-- Params:  p_worker: null: any.
create or replace function sluice.serves_version(p_worker bigint, p_version text) returns boolean
language plpgsql stable
as $$
begin
  return p_version is null or p_worker is null
    or coalesce((select w.schema_versions is null or p_version = any (w.schema_versions)
      from sluice.worker w where w.id = p_worker), true);
end
$$;

-- all_lines: every line. Ascending.
create or replace function sluice.all_lines() returns int[]
language plpgsql stable
as $$
begin
  return array(select -n from sluice.route_line union all select id from sluice.models order by 1);
end
$$;

-- lines_of_route: the lines of a route, ascending.
create or replace function sluice.lines_of_route(p_route text) returns int[]
language plpgsql stable
as $$
begin
  return array(select -n from sluice.route_line where route = p_route order by 1);
end
$$;

-- lines_for: the lines from which a model takes tasks: its own, and those of its versions and its
-- routes, other homes' included.
create or replace function sluice.lines_for(p_model sluice.models) returns int[]
language plpgsql stable
as $$
begin
  return p_model.id || array(
    select -l.n from sluice.routes r join sluice.route_line l on l.route = r.route
      and (l.api is null or l.api = p_model.api)
    where r.model = p_model.name and r.weight > 0
    union all
    select -n from sluice.route_line where model = p_model.id and route is null order by 1);
end
$$;

-- models_of_line: the ids of the models that take tasks from a line, as far as they are in p_ids
-- (null: all).
create or replace function sluice.models_of_line(p_line int, p_ids int[] default null) returns int[]
language plpgsql stable
as $$
begin
  if p_line >= 0 then
    return case when p_ids is null or p_line = any (p_ids) then array[p_line] else '{}' end;
  end if;
  return array(
    select m.id from sluice.route_line l join sluice.routes r on r.route = l.route and r.weight > 0
    join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
    where l.n = -p_line and (p_ids is null or m.id = any (p_ids))
    union all
    select l.model from sluice.route_line l where l.n = -p_line and l.route is null
      and (p_ids is null or l.model = any (p_ids)) order by 1);
end
$$;

-- is_waiting: whether anything is ready in a line. Requires no lock.
create or replace function sluice.is_waiting(p_line int, p_now timestamptz default null)
returns boolean
language plpgsql volatile
as $$
begin
  return sluice.lane_heads(p_line, 1, p_now => p_now) <> '{}';
end
$$;

-- depth: how many rows wait in a line, counting at most p_max of them (null: all).
create or replace function sluice.depth(p_line int, p_max int default null) returns int
language plpgsql volatile
as $$
declare
  v_depth int;
begin
  execute format('select count(*) from (select from sluice.%I limit $1) q',
    sluice.place_of(p_line)) into v_depth using p_max;
  return v_depth;
end
$$;

-- lane_heads: the first row of each waiting lane of p_line, in the order (rank, tenant); at most
-- p_max. Requires no lock.
-- Params:  p_rank, p_tenant: where to begin (null: at the beginning); p_last: the last rank to look
--          at.
create or replace function sluice.lane_heads(
  p_line int, p_max int, p_rank smallint default -sluice.rank_max(),
  p_tenant bigint default null, p_last smallint default sluice.rank_max(),
  p_now timestamptz default null) returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_heads sluice.head[];
begin
  execute format('select sluice.lanes_%s($1, $2, $3, $4, $5)', sluice.line_name(p_line))
    into v_heads
  using p_rank, coalesce(p_tenant, sluice.first_tenant()), p_last, p_max,
    coalesce(p_now, clock_timestamp());
  return v_heads;
-- its model or route was deleted just now
exception when undefined_function or undefined_table then
  return '{}';
end
$$;

-- lock_line: waits for the lock that protects a line's marks: the model's, or the route's.
create or replace function sluice.lock_line(p_line int) returns void
language plpgsql volatile
as $$
begin
  perform pg_advisory_xact_lock(sluice.lock_class(case when p_line < 0 then 'route'
    else 'model' end), abs(p_line));
end
$$;

-- try_line: lock_line without waiting: whether it got the lock. The sweep uses it, since it can
-- come back a second later.
create or replace function sluice.try_line(p_line int) returns boolean
language plpgsql volatile
as $$
begin
  return pg_try_advisory_xact_lock(sluice.lock_class(case when p_line < 0 then 'route'
    else 'model' end), abs(p_line));
end
$$;

-- find_place: where an unfinished task is: in later, in a line of the model or route that it named,
-- or in lease. Other lines are not searched: a look-up in 1,000 tables takes 4,000 locks.
-- Params:  p_task: its id; p_model, p_route: what it named.
-- Returns: status: null if it is in none of them; line: the one in which it waits.
create or replace function sluice.find_place(
  p_task bigint, p_model int, p_route text, out status text, out model int, out attempts int,
  out queued_at timestamptz, out started_at timestamptz, out line int)
language plpgsql volatile
as $$
declare
  v_lines int[] := case when p_route is null
    then array(select l from sluice.models m cross join unnest(sluice.lines_of_model(m.id)) l
      where m.id = p_model)
    else sluice.lines_of_route(p_route) end;
begin
  execute 'select ''unsolved'', model, attempts, null::timestamptz, null::timestamptz, null::int
    from sluice.later where task_id = $1
    union all select ''processing'', model, attempts + 1, ready_at, started_at, null
      from sluice.lease where task_id = $1'
    || coalesce((select string_agg(format(
      ' union all select ''queued'', model, attempts, ready_at, null, %s '
      'from sluice.%I where task_id = $1', l, sluice.place_of(l)), '')
        from unnest(v_lines) l), '')
  into status, model, attempts, queued_at, started_at, line using p_task;
end
$$;
