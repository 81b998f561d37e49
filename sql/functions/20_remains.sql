-- What an upgrade leaves. What waited in the backlog of schema 44 moves, and what nobody needs any more is dropped (89_remains.sql lists
-- it), in bounded steps, by wake() and tick(), with workers of both versions running. What moves, and admit, can go with the first version
-- that upgrades from none so old.

-- has_moves: whether move_backlog has anything to do: what waits, or what calls that began before the upgrade have rung for since.
create or replace function sluice.has_moves() returns boolean
language plpgsql volatile
as $$
begin
  if to_regclass('sluice.backlog') is null then
    return false;
  end if;
  return exists (select from sluice.backlog) or exists (select from sluice.rung where line is null);
end
$$;

-- move_backlog: moves what was in the backlog: what was ready into its line, at its place; what waits for its time into sluice.later. As
-- many a call as wake_later; submits and claims go on meanwhile, and until it is moved a task is unsolved. Line by line, as its index is.
create or replace function sluice.move_backlog(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_rows sluice.later[];
begin
  if to_regclass('sluice.backlog') is null then
    return 0;
  end if;
  with old as (delete from sluice.rung where line is null returning model, rung_at)
  insert into sluice.rung (line, rung_at) select model, rung_at from old;
  with first as materialized (
    select task_id, model, route from sluice.backlog where due
    order by coalesce('route_' || route, 'backlog_' || model::text), rank, (hashtextextended(tenant, 0) >> 1)
    limit sluice.wake_max() for update skip locked),
  go as materialized (select task_id, dense_rank() over (order by model, route) as line from first),
  gone as (
    delete from sluice.backlog b using go g where b.task_id = g.task_id and g.line <= sluice.wake_lines_max()
    returning row(b.task_id, b.ready_at, b.deadline, b.model, b.request_bytes, b.fence, b.rank, b.attempts, b.route,
      b.tenant)::sluice.later as row)
  select array_agg(g.row) into v_rows from gone g;
  perform sluice.put_back(v_rows, null);
  with first as materialized (
    select task_id from sluice.backlog where not due order by ready_at limit sluice.wake_max() for update skip locked),
  gone as (delete from sluice.backlog b using first f where b.task_id = f.task_id returning b.*)
  insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, route, tenant)
  select task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, route, tenant from gone;
  return coalesce(cardinality(v_rows), 0);
end
$$;

-- drop_backlog: drops where tasks waited in schema 44. Errors: 55P03: something waits there, or somebody uses it; 2BP01: a function does.
create or replace function sluice.drop_backlog() returns void
language plpgsql volatile
as $$
begin
  lock table sluice.rung, sluice.backlog in access exclusive mode;
  if sluice.has_moves() then
    raise lock_not_available;
  end if;
  alter table sluice.rung drop column model, alter column line set not null;
  drop type if exists sluice.lane_head, sluice.waiting_task, sluice.route_share, sluice.queue_room, sluice.headroom_max,
    sluice.arrival, sluice.candidate;
  drop table sluice.backlog, sluice.lane;
end
$$;

-- drop_remains: drops some of what is left, for at most 300 ms, and at most 500 things, each of which takes two or three places in the
-- shared table of locks; waits for no lock. Returns how many it dropped. Called by wake that finds nothing else to do: it holds locks of
-- queues until the commit. Not before the calls that were under way when the functions were applied have ended.
-- Not fewer at a time: each is told to all sessions, which then walk over all their plans. Sessions that are told of more than 4,096 things
-- at once forget their plans instead. Measured, 1,000 models' plans: 100 things 3 s, 500 things 0.2 s.
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
     or exists (select from sluice.function_set where applied_at > clock_timestamp() - interval '1 minute')
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

-- admit, admit_restless: wake, by the names by which workers of schema 44 and before call it. Nothing is admitted any more. For each model
-- in one statement: only the first wakes.
create or replace function sluice.admit(model text, max_tasks int default null, p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  if current_setting('sluice.woken', true) = 'yes' then
    return 0;
  end if;
  perform set_config('sluice.woken', 'yes', true);
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
