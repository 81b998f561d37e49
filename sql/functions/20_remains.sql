-- What an upgrade from schema 44 leaves: what waited in the backlog moves, and what nobody needs any more is dropped, in bounded steps, by
-- wake() and tick(), with workers of both versions running. A new database has nothing of it (99_remains.sql). This file can go with the
-- first version that upgrades from none so old.

-- has_remains: whether anything is left: the type of new tasks of then goes last.
create or replace function sluice.has_remains() returns boolean
language plpgsql stable
as $$
begin
  return to_regtype('sluice.arrival') is not null;
end
$$;

-- take_over: what calls that began before the upgrade have rung for since.
create or replace function sluice.take_over() returns void
language plpgsql volatile
as $$
begin
  with old as (delete from sluice.rung where line is null returning model, rung_at)
  insert into sluice.rung (line, rung_at) select model, rung_at from old;
end
$$;

-- has_moves: whether move_backlog has anything to do.
create or replace function sluice.has_moves() returns boolean
language plpgsql volatile
as $$
begin
  if not sluice.has_remains() then
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
  if not sluice.has_remains() then
    return 0;
  end if;
  perform sluice.take_over();
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
  perform sluice.put_back(v_rows, null, p_now);
  with first as materialized (
    select task_id from sluice.backlog where not due order by ready_at limit sluice.wake_max() for update skip locked),
  gone as (delete from sluice.backlog b using first f where b.task_id = f.task_id returning b.*)
  insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, route, tenant)
  select task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, route, tenant from gone;
  return coalesce(cardinality(v_rows), 0);
end
$$;

-- remains_of_lines: statements that drop what belonged to models, at most p_max: the rooms and paces, the marks of lanes, an index in an
-- order that no scan asks for any more, and generated functions of other names or arguments than now. By ranges of the catalogs' indexes.
create or replace function sluice.remains_of_lines(p_max int) returns setof text
language plpgsql volatile
set enable_seqscan = off
as $$
begin
  return query
    select format('drop sequence sluice.%I', c.relname) from unnest('{mark,paced,paced_at,room,tended}'::text[]) k
    join pg_class c on c.relname >= (k || '_')::name and c.relname < (k || '_~')::name
    where c.relnamespace = 'sluice'::regnamespace and c.relkind = 'S' and c.relname ~ ('^' || k || '_[0-9]+$')
    union all
    select format('drop index sluice.%I', c.relname) from pg_class c
    where c.relname >= 'queue_' and c.relname < 'queue_~' and c.relnamespace = 'sluice'::regnamespace and c.relkind = 'i'
      and c.relname ~ '^queue_[0-9]+_rank_ready_at_task_id_idx$'
    union all
    select format('drop routine sluice.%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid))
    from unnest('{put,take,urgent}'::text[]) k join pg_proc p on p.proname >= (k || '_')::name and p.proname < (k || '_~')::name
    where p.pronamespace = 'sluice'::regnamespace and p.proname ~ ('^' || k || '_[0-9]+$') and (k <> 'take' or p.pronargs = 1)
    limit p_max;
end
$$;

-- drop_remains: drops some of what is left, for at most 300 ms, and at most 500 things, each of which takes two or three places in the
-- shared table of locks; waits for no lock. Returns how many it dropped. Called last by tick, and by wake that finds nothing else to do: it
-- holds locks of queues until the commit.
-- Not fewer at a time: each is told to all sessions, which then walk over all their plans. Sessions that are told of more than 4,096 things
-- at once forget their plans instead. Measured, 1,000 models' plans: 100 things 3 s, 500 things 0.2 s.
create or replace function sluice.drop_remains() returns int
language plpgsql volatile
set lock_timeout = '20ms'
as $$
declare
  v_statements text[];
  v_statement text;
  v_until timestamptz;
  v_dropped int := 0;
begin
  -- A call that was under way when the functions were applied needs some of it; those of a new database are not noted as applied yet.
  if not sluice.has_remains() or exists (select from sluice.function_set where applied_at > clock_timestamp() - interval '1 minute')
     or not pg_try_advisory_xact_lock(sluice.lock_class('tick'), 0) then
    return 0;
  end if;
  v_statements := array(select s from sluice.remains_of_lines(500) s);
  v_until := clock_timestamp() + interval '300 ms';
  foreach v_statement in array v_statements loop
    begin
      execute v_statement;
      v_dropped := v_dropped + 1;
    exception when lock_not_available or out_of_memory then
      null;  -- the next round
    end;
    exit when clock_timestamp() > v_until;
  end loop;
  if v_statements = '{}' and not sluice.has_moves() then
    perform sluice.drop_last_remains();
    v_dropped := 1;
  end if;
  return v_dropped;
exception when lock_not_available then
  return v_dropped;
end
$$;

-- drop_last_remains: the rest, at once. Errors: 55P03: somebody uses it.
create or replace function sluice.drop_last_remains() returns void
language plpgsql volatile
set client_min_messages = warning
as $$
begin
  lock table sluice.rung, sluice.backlog in access exclusive mode;
  if sluice.has_moves() then  -- it came just now
    return;
  end if;
  drop function if exists sluice.accept_for_model(int, text, timestamptz), sluice.accept_many(sluice.backlog[], timestamptz),
    sluice.admissible_at(sluice.models, timestamptz), sluice.admit_models(int[], timestamptz), sluice.admit_rows_max(),
    sluice.advance_marks(text, smallint[], timestamptz[], smallint, timestamptz), sluice.age_queue(int, timestamptz),
    sluice.ahead_in_backlog(sluice.backlog), sluice.ahead_in_queue(bigint, int), sluice.ahead_text(int), sluice.backlog_lines(int),
    sluice.candidate_queues(bigint, int, text, int),
    sluice.deal(sluice.models, text[], int, timestamptz), sluice.draw_room(int, boolean), sluice.draw_rooms(int, int, int),
    sluice.drop_lanes(text),
    sluice.explain_later(sluice.task, sluice.backlog, text, timestamptz),
    sluice.first_below_mark(text, smallint, bigint, timestamptz), sluice.first_turn(text, timestamptz),
    sluice.hold_rows(int, sluice.queue[]), sluice.is_limited(sluice.models, timestamptz), sluice.is_waiting(text[]),
    sluice.judge_rows(sluice.queue[], int, bigint, timestamptz), sluice.lanes_look_max(), sluice.lanes_max(),
    sluice.line_of(int, text), sluice.lower_marks(text, smallint[], timestamptz[], bigint[]),
    sluice.make_lanes(text, smallint[], bigint[]), sluice.mark(int), sluice.next_lane(text, smallint, bigint, smallint, bigint),
    sluice.note_pace(int, timestamptz), sluice.note_put_back(sluice.backlog[]),
    sluice.note_taken(text, sluice.queue[], int, timestamptz), sluice.oldest_waiting(text), sluice.pace(int, timestamptz),
    sluice.peek_rows(int, int), sluice.place(sluice.backlog[], timestamptz), sluice.queue_target(sluice.models, timestamptz),
    sluice.queue_text(int, timestamptz), sluice.reroutable(sluice.models, timestamptz), sluice.reroute(int, timestamptz),
    sluice.ring_line(text), sluice.route_target(text, boolean, timestamptz, bigint), sluice.rows_max(int, float8),
    sluice.segments(text), sluice.set_mark(int, timestamptz), sluice.take_in_route(text, int, int, sluice.backlog[], timestamptz),
    sluice.take_limited_rows(sluice.models, int, timestamptz), sluice.take_rows(int, int, timestamptz),
    sluice.tend(sluice.models, timestamptz), sluice.try_line(text), sluice.urgent_ones(sluice.backlog[], int, int),
    sluice.urgent_room(int, int), sluice.waiting_lanes(text[], timestamptz), sluice.waits_since(sluice.task),
    sluice.was_tended(int, interval, timestamptz);
  drop function if exists sluice.breaker_text(sluice.models, timestamptz),
    sluice.cancel_page(text, sluice.task_filter, bigint, bigint, timestamptz), sluice.cancel_waiting(text, bigint[], timestamptz),
    sluice.charge_tenants(sluice.lease[], timestamptz), sluice.charge_tokens(sluice.quota, bigint, timestamptz), sluice.clock_jump_min(),
    sluice.end_cancelled(sluice.lease[], timestamptz), sluice.end_waiting(text, bigint[], text, text, text, timestamptz),
    sluice.heed_cancellations(sluice.outcome[], sluice.ended_call[]), sluice.interval_ns(int, int), sluice.is_kept(text),
    sluice.look(int, timestamptz), sluice.note_refusals(sluice.outcome[], sluice.ended_call[], timestamptz),
    sluice.permit_burst(sluice.models), sluice.permit_interval_ns(sluice.models), sluice.probe_at(sluice.breaker, timestamptz),
    sluice.refusals_max(), sluice.refusals_to_park(int), sluice.rehearse(text, bigint, timestamptz),
    sluice.cancel_at(text, sluice.task_filter, bigint, timestamptz), sluice.later_mark(),
    sluice.shut_models(int[], timestamptz), sluice.take_cancellations(sluice.lease[]),
    sluice.tenant_request_quota(sluice.tenants), sluice.tenant_token_quota(sluice.tenants);
  alter table sluice.rung drop column model, alter column line set not null;
  drop type if exists sluice.lane_head, sluice.waiting_task, sluice.route_share, sluice.queue_room, sluice.headroom_max,
    sluice.arrival cascade;
  drop table sluice.backlog, sluice.lane;
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
