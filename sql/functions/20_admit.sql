-- Admission: from the backlog into the queues. All policy acts here, so that a claim stays trivial:
--   which lanes wait (19_lanes.sql) -> whose turn it is (23_fair_share.sql, 24_ageing.sql) -> for which model
--   (21_routing.sql) -> as far as its queue should be deep (27_pace.sql).

-- admit_rows_max: tasks that one round of admission moves.
create or replace function sluice.admit_rows_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- later_mark: a lower bound on ready_at of the rows that wait for their time: the mark of the one lane of line "later"
-- (05_marks.sql), where the looks for those that have come begin.
create or replace function sluice.later_mark() returns timestamptz
language plpgsql volatile
as $$
begin
  return coalesce((select sluice.mark(l.id) from sluice.lane l where l.line = 'later'), '-infinity');
end
$$;

-- wake_later: turns backlog rows whose time has come into rows that wait for room; at most 1,000 a call.
-- They are ready from p_now on, not from the time they asked for: no mark can be above them.
create or replace function sluice.wake_later(p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_from timestamptz := sluice.later_mark();
  v_first timestamptz := (select min(ready_at) from sluice.backlog where not due and ready_at between v_from and p_now);
  v_lines text[];
begin
  -- Before the first row there was, for this transaction's moves are not committed yet.
  perform sluice.set_mark(l.id, least(p_now - sluice.mark_lag(), v_first - interval '1 microsecond'))
  from sluice.lane l where l.line = 'later' and sluice.try_line(l.line);
  if v_first is null then
    return 0;
  end if;
  -- Materialized: as a plain subquery it may be run again for each row it is joined with, each time for 1,000 more.
  with come as materialized (
    select task_id from sluice.backlog where not due and ready_at between v_first and p_now order by ready_at
    limit 1000 for update skip locked),
  woken as (
    update sluice.backlog b set due = true, ready_at = p_now
    from come c where b.task_id = c.task_id returning sluice.line_of(b.model, b.route) as line)
  select array_agg(w.line) into v_lines from woken w;
  perform sluice.ring_line(l) from (select distinct l from unnest(v_lines) l order by l) l(l);
  if random() < coalesce(cardinality(v_lines), 0) / 1000.0 then
    perform sluice.make_lanes('later', '{0}');
  end if;
  return coalesce(cardinality(v_lines), 0);
end
$$;

-- admit: fills the queue of one model from the backlog as far as it should be filled; what it meets on the way that a
-- route deals to other models goes to them.
-- Stage:   20. Called by workers in the flush after a claim that took a quarter of a queue, once before they sleep, and
--          by tick.
-- Params:  model: name; max_tasks: rows at most (null: as many as there is room for); p_now.
-- Returns: the number of tasks moved; 0 also when another admitter is at this model.
-- Then sets the room of submits to the true depth, or to none while tasks are still waiting: nothing overtakes them.
-- Locks:   tries the admit locks of the model and of those it deals to, and the locks of the routes; never waits.
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
  v_moved int[];
begin
  select * into v_model from sluice.models m where m.name = admit.model;
  if not found or not pg_try_advisory_xact_lock(sluice.lock_class('admit'), v_model.id) then
    return 0;
  end if;
  select * into v_model from sluice.models m where m.id = v_model.id;
  if not found then  -- it was deleted just now
    return 0;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  v_now := coalesce(p_now, clock_timestamp());
  perform sluice.wake_later(v_now);
  perform sluice.tend(v_model, v_now);
  v_lines := sluice.backlog_lines(v_model.id);
  v_depth := sluice.depth(v_model.id, v_model.max_queue);
  v_room := least(sluice.queue_target(v_model, v_now) - v_depth, admit.max_tasks);
  perform sluice.note_pace(v_model.id, v_now);
  if v_room > 0 and sluice.is_open(v_model, v_now) then
    v_moved := sluice.deal(v_model, v_lines, v_room, v_now);
  end if;
  perform sluice.set_counter('room', v_model.id, case
    when v_moved is distinct from '{}' and sluice.is_waiting(v_lines) then v_model.max_queue
    else v_depth + coalesce(cardinality(array_positions(v_moved, v_model.id)), 0) end);
  return coalesce(cardinality(v_moved), 0);
end
$$;

-- admit_restless: admit for those of a worker's models that may have something waiting; of those that only a route waits
-- for 32 a call, drawn at random, for each deals to all of its route.
-- Stage:   20. Called by workers now and then and before they sleep.
-- Params:  worker: its id; p_now. Returns: the number of tasks moved. Locks: as admit.
create or replace function sluice.admit_restless(worker bigint, p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return sluice.admit_models(sluice.served_models(worker), p_now);
end
$$;

-- admit_models: admit for those of the models p_ids that may have something waiting. Each reads the clock after its lock.
create or replace function sluice.admit_models(p_ids int[], p_now timestamptz) returns int
language plpgsql volatile
as $$
begin
  perform sluice.wake_later(coalesce(p_now, clock_timestamp()));
  return (select coalesce(sum(sluice.admit(m.name, null, p_now)), 0)
          from unnest(sluice.restless(p_ids, sluice.models_look_max())) r(id) join sluice.models m on m.id = r.id);
end
$$;

-- deal: one round of admission for the lines that feed p_model: whose turn it is, for which model, and the moves.
-- A route's line has one admitter at a time: its marks must not pass rows that another took and may give back.
-- Params:  p_room: how many rows the queue of p_model takes. A route deals to all its models, so its rounds are longer.
-- Returns: for each task moved the model it went to; null: none; empty: for nothing waits in any of p_lines.
create or replace function sluice.deal(p_model sluice.models, p_lines text[], p_room int, p_now timestamptz) returns int[]
language plpgsql volatile
as $$
declare
  v_lines text[] := array(
    select l from unnest(p_lines) l
    where l like 'backlog\_%' or pg_try_advisory_xact_lock(sluice.lock_class('route'), hashtext(l)));
  v_heads sluice.lane_head[] := sluice.waiting_lanes(v_lines, p_now);
  v_tasks sluice.waiting_task[];
  v_seats int[];
  v_moved int[];
begin
  if v_heads = '{}' then
    return case when cardinality(v_lines) = cardinality(p_lines) then '{}'::int[] end;
  end if;
  v_tasks := sluice.fair_turns(v_heads, least(sluice.admit_rows_max(),
    p_room * case when cardinality(v_lines) > 1 then 8 else 1 end), p_now);
  if v_tasks is null then
    return null;  -- whoever waits has no permit
  end if;
  v_seats := (sluice.seats(array[row(p_model.id, p_room, sluice.is_limited(p_model, p_now))::sluice.queue_room],
                           v_tasks, p_now)).seats;
  select array_agg(m) into v_moved
  from (select distinct s from unnest(v_seats) s where s is not null order by s) x(model)
  cross join lateral sluice.move_to_queue(x.model, v_tasks, v_seats, p_now) m;
  if v_moved is not null then
    perform sluice.ring(m) from (select distinct m from unnest(v_moved) m) x(m);
    perform sluice.make_lanes(t.line, array_agg(t.rank), array_agg(t.tenant))
    from (select line, rank, tenant from unnest(v_tasks) group by line, rank, tenant having random() < count(*) / 1000.0) t
    group by t.line;
  end if;
  return v_moved;
end
$$;

-- move_to_queue: moves those of p_tasks whose seat is p_model from the backlog into its queue; one statement.
-- A row that somebody else has locked (a cancel under way) is passed over. They queue in the order of p_tasks: ready_at
-- counts up in microseconds. Requires the admit lock of the model and the locks of the lines.
-- Room: a number of the model's room sequence for each, as a submit would draw it.
-- Returns: p_model, once for each task moved.
create or replace function sluice.move_to_queue(
  p_model int, p_tasks sluice.waiting_task[], p_seats int[], p_now timestamptz) returns setof int
language plpgsql volatile
as $$
declare
  v_moved int;
begin
  execute format($sql$
    with pick as materialized (
      select t.task_id, t.aged, t.place from unnest($1, $2) with ordinality t(
        task_id, line, rank, aged, tenant, fence, api, seat, place)
      where t.seat = $3),
    free as materialized (
      select p.* from pick p join sluice.backlog b on b.task_id = p.task_id and b.due for update of b skip locked),
    gone as (
      delete from sluice.backlog b using free f where b.task_id = f.task_id returning b.*, f.aged, f.place)
    insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant)
    select g.task_id, $4 + g.place * interval '1 microsecond', g.deadline, $3, g.request_bytes, g.fence, g.aged, g.attempts,
      g.tenant
    from gone g
    $sql$, 'queue_' || p_model)
  using p_tasks, p_seats, p_model, p_now;
  get diagnostics v_moved = row_count;
  perform sluice.set_counter('room', p_model, sluice.counter('room', p_model) + v_moved)
  where sluice.counter('room', p_model) is not null;
  return query select p_model from generate_series(1, v_moved);
end
$$;
