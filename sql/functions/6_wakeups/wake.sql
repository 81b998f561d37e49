-- Tasks in sluice.later move into their line when their time has come. While none is due, wake
-- drops the leftovers of an upgrade.

-- wake_max: how many rows one call moves.
create or replace function sluice.wake_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- wake_lines_max: into how many lines one statement moves rows: each takes six places in the shared
-- lock table, which has 7,000 by default.
create or replace function sluice.wake_lines_max() returns int
language sql immutable parallel safe
as $$ select 50 $$;

-- take_due: takes rows of sluice.later that are due; at most wake_max, into at most wake_lines_max
-- lines, the first of p_rows first. Skips locked ones, at 4 us each.
-- Params:  p_rows: where they are. What has come into the place of one that is gone is due, too, or
--          stays.
-- Without index scans, and without joins, for which PostgreSQL 18 scans the table all the same: a
-- plan that was made while it was empty compares each row of a flood with each of p_rows: 3 s a
-- call at 50,000, so 24 ms.
create or replace function sluice.take_due(p_rows tid[], p_now timestamptz)
returns sluice.later[]
language plpgsql volatile
set enable_indexscan = off set enable_indexonlyscan = off set enable_bitmapscan = off
set enable_seqscan = off
as $$
declare
  v_rows sluice.later[];
begin
  with come as materialized (
    select i.at, l.model, l.route, i.place
    from unnest(p_rows) with ordinality i(at, place)
    cross join lateral (select o.model, o.route from sluice.later o
      where o.ctid = i.at and o.ready_at <= p_now limit 1 for update skip locked) l
    limit sluice.wake_max()),
  placed as materialized (
    select c.at, min(c.place) over (partition by c.model, c.route) as first from come c),
  go as materialized (select p.at, dense_rank() over (order by p.first) as line from placed p),
  gone as (
    delete from sluice.later l where l.ctid = any (array(
      select g.at from go g where g.line <= sluice.wake_lines_max())) returning l as row)
  select array_agg(g.row) into v_rows from gone g;
  return v_rows;
end
$$;

-- wake: moves tasks that are due (run_at, a retry's time) to where claims find them. Workers call
-- it when a claim brought nothing, before they claim once more, and now and then; tick does.
-- Returns: how many tasks became ready.
--
-- At most wake_max, the first that were due, and half as many by turns of their tenants where it
-- leaves some: the flood of one holds up nobody. They are ready from now on, not from the time they
-- asked for, so no mark can be above them. If its line no longer exists, because its route has lost
-- its last model, the line is created again, and the task waits there like those that were ready.
-- It looks at twice as many rows as it takes; if all are locked the mark passes them.
create or replace function sluice.wake(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- no claim could reckon with an infinite ready_at
  v_now timestamptz := sluice.now_for(case when isfinite(p_now) then p_now end);
  v_first timestamptz := sluice.first_due(v_now);
  v_last timestamptz;
  v_due tid[];
  v_rows sluice.later[];
begin
  if v_first is null then
    perform sluice.drop_remains();
    return 0;
  end if;
  select array_agg(d.at order by d.ready_at), max(d.ready_at) into v_due, v_last
  from (select l.ctid as at, l.ready_at from sluice.later l
    where l.ready_at >= v_first and l.ready_at <= v_now
    order by l.ready_at limit 2 * sluice.wake_max()) d;
  v_rows := sluice.take_due(v_due, v_now);
  if cardinality(v_due) = 2 * sluice.wake_max() then
    v_first := case when v_rows is null then v_last + interval '1 microsecond' else v_first end;
    v_rows := v_rows || sluice.take_due(
      sluice.due_by_turns(v_first, sluice.wake_max() / 2, v_now), v_now);
  elsif v_rows is null then
    return 0;
  end if;
  perform sluice.put_back(v_rows, v_now), sluice.note_later_gone(array(
    select r.tenant from unnest(v_rows) r)) where v_rows is not null;
  -- Before the first row there was, for this transaction's moves are not committed yet. Last, for
  -- the newest mark holds: others that find these rows locked pass them meanwhile.
  perform sluice.set_mark(0, 0::smallint, 0, least(v_now - sluice.mark_lag(), v_first))
  where v_first > v_last or random() < cardinality(v_rows) / 100.0;
  return coalesce(cardinality(v_rows), 0);
end
$$;

-- put_back: puts rows from sluice.later or another place into the lines of their model or route,
-- and notifies; rows whose line cannot be made now into sluice.later, for a second. It raises a
-- fence of 0 to 1, so that the claim makes it 2: a lease of fence 1 tells end_solved that its
-- ready_at is the time of its task's submit.
-- Params:  p_ready: from when on they are ready (null: the rows' ready_at).
-- Locks:   those of the lines, ascending, if the rows are ready from before p_now, because marks
--          may have to be lowered.
create or replace function sluice.put_back(p_rows sluice.later[], p_ready timestamptz) returns void
language plpgsql volatile
as $$
declare
  -- How many lines it makes for homes of affinity keys, at 20 ms each. If more are missing, or
  -- lines cannot be made now, their tasks go to the route's own line, and so to any model, this
  -- once.
  c_homes_max constant int := 16;
  v record;
  v_name text;
  v_made int := 0;
begin
  for v in
    with come as materialized (
      select r, r.route, t.api, t.schema_version as version, t.affinity_key as key
      from unnest(p_rows) r left join lateral (
        select t.api, t.schema_version, t.affinity_key from sluice.task t where t.id = r.task_id
        limit 1) t on r.route is not null
          or (select exists (select from sluice.route_line n where n.version is not null))),
    home as materialized (
      select c.route, c.api, h.ids, h.weights
      from (select distinct route, api from come where route is not null and key is not null) c
      cross join lateral sluice.homes_of(c.route, c.api, coalesce(p_ready, clock_timestamp())) h)
    select l.line, array_agg(l.r) as rows, min(l.route) as route, min(l.api) as api,
      min(l.version) as version, min(l.model) as model
    from (select c.r, c.route, c.api, c.version, m.model, sluice.line_of((c.r).model, c.route,
            c.api, c.version, m.model) as line
          from come c left join home h on c.key is not null and h.route = c.route
            and h.api is not distinct from c.api
          cross join lateral (select coalesce((c.r).model, case when h.ids is not null
            then sluice.home_of(c.key, h.ids, h.weights) end) as model offset 0) m) l
    group by l.line, case when l.line is null then row(l.route, l.api, l.version, l.model)::text end
    order by l.line
  loop
    if v.line is null and v_made < c_homes_max then
      v.line := sluice.try_make_route_line(v.route, v.api, v.version, v.model);
      -- One wait for a lock is enough.
      v_made := case when v.line is null then c_homes_max else v_made + 1 end;
    end if;
    v.line := coalesce(v.line, sluice.line_of(null, v.route, v.api, v.version, null));
    if v.line is null then
      insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
        attempts, route, tenant)
      select r.task_id, coalesce(p_ready, clock_timestamp()) + interval '1 s', r.deadline, r.model,
        r.request_bytes, r.fence, r.rank, r.attempts, r.route, r.tenant from unnest(v.rows) r;
      continue;
    end if;
    v_name := sluice.line_name(v.line);
    perform sluice.lock_line(v.line) where p_ready is null;
    execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence,
      rank, attempts, tenant)
      select r.task_id, %s, r.deadline, r.model, r.request_bytes, greatest(r.fence, 1), r.rank,
        r.attempts, r.tenant
      from unnest($1) r', 'queue_' || v_name, case when p_ready is null then 'r.ready_at'
        when to_regproc('sluice.prefix_time_' || v_name) is null then '$2'
        else format('(select sluice.prefix_time_%s(t.affinity_key, t.prompt, t.request, $2)
          from sluice.task t where t.id = r.task_id)', v_name) end)
    using v.rows, p_ready;
    if p_ready is null then
      perform sluice.lower_marks(v.line, array_agg(b.rank), array_agg(b.tenant), array_agg(b.first))
      from (select r.rank, sluice.tenant_key(r.tenant) as tenant, min(r.ready_at) as first
        from unnest(v.rows) r group by 1, 2) b;
    end if;
    perform sluice.note_deadlines(v.line, min(r.deadline), max(r.deadline)) from unnest(v.rows) r;
    perform sluice.notify_ready(v.line);
  end loop;
end
$$;

-- drop_remains: drops leftovers of an upgrade (dropped.sql lists them), for at most 300 ms and at
-- most 500 at a time, since each takes two or three places in the shared lock table. It waits for
-- no lock, and does nothing until the calls that were under way during the upgrade have ended.
-- Called by wake when nothing is due. A smaller number would be slower: all sessions are told of
-- each drop, and then walk over all their plans, but sessions that are told of more than 4,096
-- changes at once forget their plans instead.
-- Returns: how many it dropped.
create or replace function sluice.drop_remains() returns int
language plpgsql volatile
set lock_timeout = '20ms'
as $$
declare
  v_until timestamptz := clock_timestamp() + interval '300 ms';
  v_dropped int := 0;
  v record;
begin
  if to_regclass('sluice.remains') is null
     or exists (select from sluice.function_set
       where applied_at > clock_timestamp() - interval '1 minute')
     or not pg_try_advisory_xact_lock(sluice.lock_class('tick'), 0) then
    return 0;
  end if;
  for v in select statement from sluice.remains order by random() limit 500 loop
    begin
      execute v.statement;
      delete from sluice.remains r where r.statement = v.statement;
      v_dropped := v_dropped + 1;
    exception when lock_not_available or out_of_memory or dependent_objects_still_exist then
      null;  -- the next round
    end;
    exit when clock_timestamp() > v_until;
  end loop;
  if not exists (select from sluice.remains) then
    begin
      drop table sluice.remains;
    exception when lock_not_available then
      null;
    end;
  end if;
  return v_dropped;
end
$$;
