-- What waits for its time, sluice.later, and moves into its line once, when that has come.

-- wake_max: rows that one call moves.
create or replace function sluice.wake_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- later_mark: a lower bound on ready_at of the rows that wait for their time: the mark of the one lane of line 0.
create or replace function sluice.later_mark() returns timestamptz
language plpgsql volatile
as $$
begin
  return sluice.mark_of(0, 0::smallint, 0);
end
$$;

-- wake_later: moves tasks whose time has come into their lines; at most wake_max a call.
-- They are ready from p_now on, not from the time they asked for: no mark can be above them.
-- A line that is no more is made anew: of a route that has lost its last model the task waits there, as those did that were ready.
create or replace function sluice.wake_later(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_from timestamptz := sluice.later_mark();
  v_first timestamptz := (select min(ready_at) from only sluice.later where ready_at >= v_from and ready_at <= p_now);
  v_rows sluice.later[];
begin
  if v_first is null then
    return 0;
  end if;
  -- Materialized: as a plain subquery it may be run again for each row it is joined with, each time for 1,000 more.
  with come as materialized (
    select task_id from only sluice.later where ready_at >= v_first and ready_at <= p_now order by ready_at
    limit sluice.wake_max() for update skip locked),
  gone as (
    delete from only sluice.later l using come c where l.task_id = c.task_id returning l as row)
  select array_agg(g.row) into v_rows from gone g;
  perform sluice.put_back(v_rows, p_now, p_now);
  -- Before the first row there was, for this transaction's moves are not committed yet.
  perform sluice.set_mark(0, 0::smallint, 0, least(p_now - sluice.mark_lag(), v_first))
  where random() < coalesce(cardinality(v_rows), 0) / 100.0;
  return coalesce(cardinality(v_rows), 0);
end
$$;

-- put_back: puts rows into the lines of what they named, fresh from sluice.later or from another place, and rings.
-- Params:  p_ready: from when on they are ready (null: from when they say); p_now.
-- Locks:   the lines', ascending, one after the other, if they are ready from before p_now: marks may have to be lowered.
create or replace function sluice.put_back(p_rows sluice.later[], p_ready timestamptz, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v record;
begin
  for v in
    select l.line, array_agg(l.r) as rows, min(l.route) as route, min(l.api) as api
    from (select r, r.route, t.api, sluice.line_of(r.model, r.route, t.api) as line
          from unnest(p_rows) r left join sluice.task t on t.id = r.task_id and r.route is not null) l
    group by l.line, case when l.line is null then row(l.route, l.api)::text end order by l.line
  loop
    v.line := coalesce(v.line, sluice.make_route_line(v.route, v.api));
    perform sluice.lock_line(v.line) where p_ready is null;
    execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
      select r.task_id, coalesce($2, r.ready_at), r.deadline, r.model, r.request_bytes, r.fence, r.rank, r.attempts, r.tenant
      from unnest($1) r', 'queue_' || sluice.line_name(v.line)) using v.rows, p_ready;
    if p_ready is null then
      perform sluice.lower_marks(v.line, array_agg(b.rank), array_agg(b.tenant), array_agg(b.first))
      from (select r.rank, sluice.tenant_key(r.tenant) as tenant, min(r.ready_at) as first from unnest(v.rows) r group by 1, 2) b;
    end if;
    perform sluice.ring(v.line);
  end loop;
end
$$;

-- move_backlog: moves what an upgrade from schema 44 found in the backlog: what was ready into its line, at its place; what waits for
-- its time into sluice.later. At most wake_max rows a call; submits and claims go on meanwhile, and until it is moved a task is
-- unsolved. Once the backlog is empty it costs a look at an empty table.
create or replace function sluice.move_backlog(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_rows sluice.later[];
begin
  if not exists (select from sluice.backlog) then
    return 0;
  end if;
  with first as materialized (
    select task_id from sluice.backlog order by task_id limit sluice.wake_max() for update skip locked),
  gone as (
    delete from sluice.backlog b using first f where b.task_id = f.task_id
    returning b.due, row(b.task_id, b.ready_at, b.deadline, b.model, b.request_bytes, b.fence, b.rank, b.attempts, b.route,
      b.tenant)::sluice.later as row),
  kept as (
    insert into sluice.later select (g.row).* from gone g where not g.due)
  select array_agg(g.row) filter (where g.due) into v_rows from gone g;
  perform sluice.put_back(v_rows, null, p_now);
  return coalesce(cardinality(v_rows), 0);
end
$$;

-- drop_remains: drops sequences of schema 44: the rooms and paces of models, the marks of lanes. At most 200 a call, for each takes a place
-- in the shared table of locks; waits for none. Called by tick.
create or replace function sluice.drop_remains() returns int
language plpgsql volatile
set lock_timeout = '20ms'
as $$
declare
  v_name text;
  v_dropped int := 0;
begin
  for v_name in select c.relname from pg_class c where c.relnamespace = 'sluice'::regnamespace and c.relkind = 'S'
    and c.relname ~ '^(room|tended|paced|paced_at|mark)_[0-9]+$' limit 200
  loop
    begin
      execute format('drop sequence sluice.%I', v_name);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      null;  -- the next round
    end;
  end loop;
  return v_dropped;
end
$$;

-- wake: moves what has come to be ready. Called by workers now and then and before they sleep, and by tick.
-- Stage:   20. Params: p_now. Returns: how many tasks became ready.
create or replace function sluice.wake(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return sluice.wake_later(coalesce(p_now, clock_timestamp())) + sluice.move_backlog(coalesce(p_now, clock_timestamp()));
end
$$;

-- admit, admit_restless: wake, by the names by which workers of schema 44 and before call it. Nothing is admitted any more.
create or replace function sluice.admit(model text, max_tasks int default null, p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.wake(p_now);
end
$$;

create or replace function sluice.admit_restless(worker bigint, p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  return sluice.wake(p_now);
end
$$;
