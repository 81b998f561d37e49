-- Lines: the one place where work waits. A model has a line, and so has a route: one for prompts and, for each api that its models
-- speak, one for verbatim requests. A line is a number: a model's id, or minus the n of its row in sluice.route_line.
-- What belongs to a line, <l> being n, or route_<n> of a route:
--   queue_<l>    table, inherits sluice.queue: all that is ready for the line, in the order (rank, tenant's key, ready_at, task_id)
--   add_<l>, lanes_<l>, take_<l>, alone_<l>, look_<l>, draw_<l>, depth_<l>   functions (28_generated.sql)
--   waits_<l>    unlogged sequence: at least the number of rows, counted only under a max_queue (12_backpressure.sql)
-- Lines are made and dropped with their models and routes, never by submit or claim.

-- line_name: what a line's relations and functions end with.
create or replace function sluice.line_name(p_line int) returns text
language sql immutable parallel safe
as $$ select case when p_line < 0 then 'route_' || (-p_line)::text else p_line::text end $$;

-- line_of: the line in which a task waits: of the model that it named, or of its route; null: there is none (any more).
-- Params:  p_api: of a verbatim request for a route.
create or replace function sluice.line_of(p_model int, p_route text, p_api text) returns int
language plpgsql stable
as $$
begin
  return case when p_route is null then p_model
    else (select -l.n from sluice.route_line l where l.route = p_route and l.api is not distinct from p_api) end;
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

-- lines_for: the lines that may give a model tasks: its own and those of its routes.
-- Params:  p_model: name; p_id: its id; p_api: what it speaks.
create or replace function sluice.lines_for(p_model sluice.models) returns int[]
language plpgsql stable
as $$
begin
  return p_model.id || array(
    select -l.n from sluice.routes r join sluice.route_line l on l.route = r.route and (l.api is null or l.api = p_model.api)
    where r.model = p_model.name and r.weight > 0 order by 1);
end
$$;

-- fed_models: which models a line may give tasks to; those of p_ids (null: all).
create or replace function sluice.fed_models(p_line int, p_ids int[] default null) returns int[]
language plpgsql stable
as $$
begin
  if p_line >= 0 then
    return case when p_ids is null or p_line = any (p_ids) then array[p_line] else '{}' end;
  end if;
  return array(
    select m.id from sluice.route_line l join sluice.routes r on r.route = l.route and r.weight > 0
    join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
    where l.n = -p_line and (p_ids is null or m.id = any (p_ids)) order by 1);
end
$$;

-- make_line: creates what belongs to a line.
create or replace function sluice.make_line(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  execute format('create table sluice.%I (primary key (task_id)) inherits (sluice.queue)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = off)', 'queue_' || v_name);
  execute format('create index on sluice.%I (deadline) where deadline is not null', 'queue_' || v_name);
  perform sluice.make_order(p_line), sluice.make_functions(p_line);
end
$$;

-- make_order: the index in whose order its tasks are taken, and the gauge of a bound on what waits, where they are not there yet.
create or replace function sluice.make_order(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  if to_regclass('sluice.waits_' || v_name) is null then
    execute format('create index on sluice.%I (rank, (hashtextextended(tenant, 0) >> 1), ready_at, task_id)', 'queue_' || v_name);
    perform sluice.make_gauge('waits_' || v_name);
  end if;
end
$$;

-- drop_line: drops it.
create or replace function sluice.drop_line(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  perform sluice.drop_functions(p_line);
  execute format('drop table sluice.%I', 'queue_' || v_name);
  execute format('drop sequence sluice.%I', 'waits_' || v_name);
  delete from sluice.mark where line = p_line;
  delete from sluice.meter where line = p_line or model = p_line;
  delete from sluice.tenant_clock where model = p_line;
  delete from sluice.lane_round where line = p_line or model = p_line;
  delete from sluice.rung where line = p_line;
end
$$;

-- make_route_line: the line of p_route for p_api, made if there is none. It stays until the transaction ends: whoever drops the route's
-- lines waits for it.
create or replace function sluice.make_route_line(p_route text, p_api text) returns int
language plpgsql volatile
as $$
declare
  v_n int;
begin
  loop
    insert into sluice.route_line (route, api) values (p_route, p_api) on conflict do nothing returning n into v_n;
    if found then
      perform sluice.make_line(-v_n);
      return -v_n;
    end if;
    select n into v_n from sluice.route_line where route = p_route and api is not distinct from p_api for key share;
    if found then  -- else it has just been dropped
      return -v_n;
    end if;
  end loop;
end
$$;

-- try_drop_route: drops the lines of a route that is no more and for which nothing waits. What waits stays, for the route may be
-- made again, by a transaction that is still open, too: that one holds their rows. Waits for it and for open submits as long as
-- lock_timeout allows; a lock that is not to be had leaves them: they cost nothing.
create or replace function sluice.try_drop_route(p_route text) returns void
language plpgsql volatile
as $$
declare
  v_lines int[];
  v_line int;
  v_waits boolean;
begin
  perform from sluice.route_line where route = p_route order by n for update;
  if exists (select from sluice.routes where route = p_route) then
    return;
  end if;
  v_lines := sluice.lines_of_route(p_route);
  foreach v_line in array v_lines loop
    perform sluice.lock_line(v_line);  -- who claims from it calls its functions
    execute format('lock table sluice.%I in access exclusive mode', 'queue_' || sluice.line_name(v_line));
  end loop;
  foreach v_line in array v_lines loop
    execute format('select exists (select from sluice.%I)', 'queue_' || sluice.line_name(v_line)) into v_waits;
    if v_waits or exists (select from sluice.lease l where l.line = v_line) or exists (select from sluice.later where route = p_route) then
      return;
    end if;
  end loop;
  perform sluice.drop_line(l) from unnest(v_lines) l;
  delete from sluice.route_line where route = p_route;
end
$$;

-- is_waiting: whether anything is ready in one of p_lines. Requires no lock.
create or replace function sluice.is_waiting(p_lines int[], p_now timestamptz default null) returns boolean
language plpgsql volatile
as $$
begin
  return exists (select from unnest(p_lines) l where sluice.lane_heads(l, 1, p_now => p_now) <> '{}');
end
$$;

-- depth: how many rows wait in a line, counting at most p_max of them (null: all).
create or replace function sluice.depth(p_line int, p_max int default null) returns int
language plpgsql volatile
as $$
declare
  v_depth int;
begin
  execute format('select sluice.depth_%s($1)', sluice.line_name(p_line)) into v_depth using p_max;
  return v_depth;
end
$$;
