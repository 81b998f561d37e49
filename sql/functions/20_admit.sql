-- Admission: from the backlog into the queues. All policy acts here, so that a claim stays trivial.

-- depth: how many rows the queue of model p_model holds, counting at most p_max of them. Flat: starts at the marks.
create or replace function sluice.depth(p_model int, p_max int) returns int
language plpgsql volatile
as $$
declare
  v_depth int;
begin
  execute format('select count(*) from (
      select from sluice.segments(%1$L) s
      cross join lateral (
        select from sluice.%1$I q
        where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= s.hi_rank
        limit $1) r
      limit $1) r', 'queue_' || p_model)
  into v_depth using p_max;
  return v_depth;
end
$$;

-- queue_target: how many rows admission keeps in a queue: 10 s of the model's quota, so that policy decides late, but
-- at least 64 and at most max_queue; max_queue for a model without a quota.
create or replace function sluice.queue_target(p_model sluice.models) returns int
language sql immutable
as $$ select least(p_model.max_queue, case when p_model.rpm is not null then greatest(64, p_model.rpm / 6) end) $$;

-- wake_later: turns backlog rows whose time has come into rows that wait for room; at most 1,000 a call.
-- They are ready from p_now on, not from the time they asked for: no mark can be above them.
create or replace function sluice.wake_later(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_woken int;
begin
  -- Materialized: as a plain subquery it may be run again for each row it is joined with, each time for 1,000 more.
  with come as materialized (
    select task_id from sluice.backlog where not due and ready_at <= p_now order by ready_at
    limit 1000 for update skip locked)
  update sluice.backlog b set due = true, ready_at = p_now
  from come c where b.task_id = c.task_id;
  get diagnostics v_woken = row_count;
  return v_woken;
end
$$;

-- backlog_head: the first rows that may go to model p_model: its own and its routes', by (rank, ready_at, task_id).
-- Params:  p_lines: the lines to look at (backlog_<id>, route_<route>); p_max: rows at most.
-- Uses:    backlog_of_model, backlog_of_route; the pinned plan of the caller.
create or replace function sluice.backlog_head(p_model int, p_lines text[], p_max int)
returns table (at tid, task_id bigint, line text, rank smallint, ready_at timestamptz)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query select h.at, h.task_id, h.line, h.rank, h.ready_at
  from unnest(p_lines) as l(line)
  cross join lateral (
    select b.ctid as at, b.task_id, l.line, b.rank, b.ready_at
    from sluice.segments(l.line) s
    cross join lateral (
      (select b.ctid, b.task_id, b.rank, b.ready_at from sluice.backlog b
       where l.line like 'backlog\_%' and b.due and b.model = p_model
         and (b.rank, b.ready_at) >= (s.lo_rank, s.lo_ready) and b.rank <= s.hi_rank
       order by b.rank, b.ready_at, b.task_id limit p_max)
      union all
      (select b.ctid, b.task_id, b.rank, b.ready_at from sluice.backlog b
       where l.line like 'route\_%' and b.due and b.route = substr(l.line, 7)
         and (b.rank, b.ready_at) >= (s.lo_rank, s.lo_ready) and b.rank <= s.hi_rank
       order by b.rank, b.ready_at, b.task_id limit p_max)) b
    limit p_max) h
  order by h.rank, h.ready_at, h.task_id
  limit p_max;
end
$$;

-- backlog_lines: the lines that feed model p_model: its own and those of its routes.
create or replace function sluice.backlog_lines(p_model int) returns text[]
language plpgsql stable
as $$
#variable_conflict use_column
begin
  return (select array['backlog_' || p_model]
      || array(select 'route_' || r.route from sluice.routes r join sluice.models m on m.name = r.model
               where m.id = p_model and r.weight > 0 order by r.route));
end
$$;

-- admit: fills the queue of one model from the backlog, in order, as far as there is room.
-- Stage:   20. Called by workers in the flush after a claim that took a quarter of a queue, once before they sleep, and
--          by tick.
-- Params:  model: name; max_tasks: rows at most (null: as many as there is room for); p_now.
-- Returns: the number of tasks moved; 0 also when another admitter is at this model.
-- Then sets the room of submits to the true depth, or to none while tasks are still waiting: nothing overtakes them.
create or replace function sluice.admit(model text, max_tasks int default null, p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_model sluice.models;
  v_now timestamptz;
  v_lines text[];
  v_room int;
  v_depth int;
  v_moved int := 0;
  v_waiting boolean;
begin
  select * into v_model from sluice.models m where m.name = admit.model;
  if not found or not pg_try_advisory_xact_lock(sluice.lock_class('admit'), v_model.id) then
    return 0;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  v_now := coalesce(p_now, clock_timestamp());
  perform sluice.wake_later(v_now);
  -- A route's line has one admitter at a time: its mark must not pass rows that another took and may give back.
  select array_agg(l) into v_lines from unnest(sluice.backlog_lines(v_model.id)) l
  where l like 'backlog\_%' or pg_try_advisory_xact_lock(sluice.lock_class('route'), hashtext(l));

  v_depth := sluice.depth(v_model.id, v_model.max_queue);
  v_room := least(sluice.queue_target(v_model) - v_depth, admit.max_tasks);
  if not sluice.is_open(v_model, v_now) then
    v_room := 0;
  end if;
  if v_room > 0 then
    v_moved := sluice.move_to_queue(v_model.id, v_lines, v_room, v_now);
  end if;
  v_waiting := exists (select from sluice.backlog_head(v_model.id, sluice.backlog_lines(v_model.id), 1));
  perform sluice.set_counter('room', v_model.id, case when v_waiting then v_model.max_queue else v_depth + v_moved end);
  if v_moved > 0 then
    perform sluice.ring(v_model.id);
  end if;
  return v_moved;
end
$$;

-- move_to_queue: moves at most p_max tasks from the heads of p_lines into the queue of p_model; one statement.
-- A row that somebody else has locked (a cancel under way) is passed over. They queue in the order they waited in:
-- ready_at counts up in microseconds. Requires the admit lock of the model and the route locks of p_lines.
-- Returns the number moved.
create or replace function sluice.move_to_queue(p_model int, p_lines text[], p_max int, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_seen int;
  v_last smallint;
  v_taken sluice.backlog_taken[];
begin
  execute format($sql$
    with head as materialized (
      select *, row_number() over (order by rank, ready_at, task_id) as place
      from sluice.backlog_head($1, $2, $3)),
    free as materialized (
      select b.ctid from head h join sluice.backlog b on b.ctid = h.at for update of b skip locked),
    gone as (
      delete from sluice.backlog b using free f where b.ctid = f.ctid returning b.*),
    moved as (
      insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
      select g.task_id, $4 + h.place * interval '1 microsecond', g.deadline, $1, g.request_bytes, g.fence, g.rank, g.attempts,
        g.tenant
      from gone g join head h using (task_id))
    select (select count(*) from head), (select max(rank) from head),
      array(select row(h.line, h.rank, min(h.ready_at), count(*))::sluice.backlog_taken
            from gone g join head h using (task_id) group by h.line, h.rank)
    $sql$, 'queue_' || p_model)
  into v_seen, v_last, v_taken using p_model, p_lines, p_max, p_now;

  v_last := case when v_seen < p_max then 100 else v_last - 1 end;
  perform sluice.advance_marks(l, array_agg(t.rank), array_agg(t.first), v_last, p_now)
  from unnest(p_lines) l left join unnest(v_taken) t on t.line = l group by l;
  perform sluice.make_lanes(t.line, array_agg(t.rank))
  from unnest(v_taken) t where random() < t.tasks / 1000.0 group by t.line;
  return (select coalesce(sum(t.tasks), 0) from unnest(v_taken) t);
end
$$;
