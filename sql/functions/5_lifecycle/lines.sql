-- Lines are created with their models and routes, and dropped with them.

-- make_line: creates the table, the gauge of a bound on waiting tasks and the functions of a line.
-- twin: tenant_key (change all alike)
create or replace function sluice.make_line(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  execute format('create table sluice.%I (primary key (task_id)) inherits (sluice.queue)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
      vacuum_truncate = off)', 'queue_' || v_name);
  execute format('create index on sluice.%I (deadline) where deadline is not null',
    'queue_' || v_name);
  execute format('create index on sluice.%I (rank, (hashtextextended(tenant, 0) >> 1), '
                 'ready_at, task_id)', 'queue_' || v_name);
  perform sluice.make_gauge('waits_' || v_name), sluice.make_functions(p_line);
end
$$;

-- drop_line: drops a line.
create or replace function sluice.drop_line(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_name text := sluice.line_name(p_line);
begin
  perform sluice.drop_functions(p_line);
  execute format('drop table sluice.%I cascade', 'queue_' || v_name);
  execute format('drop sequence sluice.%I cascade', 'waits_' || v_name);
  delete from sluice.mark where line = p_line;
  delete from sluice.meter where line = p_line or model = p_line;
  delete from sluice.tenant_clock where model = p_line;
  delete from sluice.lane_round where line = p_line or model = p_line;
  delete from sluice.ready_line where line = p_line;
end
$$;

-- make_route_line: the line of p_route for p_api, or of a version of it or of p_model, created if
-- there is none. It cannot be dropped until the transaction ends.
create or replace function sluice.make_route_line(
  p_route text, p_api text, p_version text default null, p_model int default null)
returns int
language plpgsql volatile
as $$
declare
  v_n int;
begin
  loop
    insert into sluice.route_line (route, api, version, model)
    values (p_route, p_api, p_version, p_model) on conflict do nothing
    returning n into v_n;
    if found then
      perform sluice.make_line(-v_n);
      return -v_n;
    end if;
    select n into v_n from sluice.route_line where route is not distinct from p_route
      and api is not distinct from p_api and version is not distinct from p_version
      and model is not distinct from p_model for key share;
    if found then  -- else it has just been dropped
      return -v_n;
    end if;
  end loop;
end
$$;

-- try_make_route_line: as make_route_line, but it waits 50 ms for whoever makes or drops a line in
-- a transaction that is still open, and then returns null.
create or replace function sluice.try_make_route_line(
  p_route text, p_api text, p_version text, p_model int)
returns int
language plpgsql volatile
set lock_timeout = '50ms'
as $$
begin
  return sluice.make_route_line(p_route, p_api, p_version, p_model);
exception when lock_not_available then
  return null;
end
$$;

-- try_drop_route: drops the lines of a deleted route in which nothing waits. Lines with tasks stay,
-- because the route may be created again, perhaps by a transaction that is still open and holds
-- their rows. It waits for that and for open submits as long as lock_timeout allows; if a lock is
-- not available the lines stay, which costs nothing.
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
    execute format('lock table sluice.%I in access exclusive mode',
      sluice.place_of(v_line));
  end loop;
  foreach v_line in array v_lines loop
    execute format('select exists (select from sluice.%I)', sluice.place_of(v_line))
      into v_waits;
    if v_waits or exists (select from sluice.lease l where l.line = v_line)
      or exists (select from sluice.later where route = p_route) then
      return;
    end if;
  end loop;
  perform sluice.drop_line(l) from unnest(v_lines) l;
  delete from sluice.route_line where route = p_route;
end
$$;

-- Whenever this file is applied, the functions of existing lines are replaced; 0_gone.sql keeps
-- others from being created. The routes of the first migrations have no lines yet.
do $$
begin
  perform sluice.make_functions(l) from unnest(sluice.all_lines()) l;
  perform sluice.make_route_line(r.route, a.api)
  from (select distinct r.route, m.api from sluice.routes r join sluice.models m
    on m.name = r.model) r
  cross join lateral (values (null), (r.api)) a(api);
end
$$;

-- hold_line: keeps a line and its model from being deleted until this transaction ends.
-- Errors:  SL001: it has been deleted.
create or replace function sluice.hold_line(p_line int) returns void
language plpgsql volatile
as $$
declare
  v_gauge regclass := to_regclass(case when p_line > 0 then 'sluice.load_' || p_line
    else 'sluice.waits_' || sluice.line_name(p_line) end);
begin
  if v_gauge is null then
    perform sluice.refuse_deleted();
  end if;
  perform pg_sequence_last_value(v_gauge);  -- draws none, but locks it
end
$$;
