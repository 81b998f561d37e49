-- Ageing: for each settings.ageing that a task has waited its rank is one better, down to -100. No task waits for longer
-- than 200 * ageing plus what is before it then: after that time nothing that comes later has a better rank.
-- In the backlog nothing is rewritten: admission compares ranks with the waiting counted in, and puts the task into the
-- queue with that rank. In a queue, where rows seldom stay for so long, tend rewrites the rank now and then.

-- aged_rank: p_rank with the waiting since p_ready_at counted in. date_part, not extract: that one is numeric, and slow.
create or replace function sluice.aged_rank(
  p_rank smallint, p_ready_at timestamptz, p_now timestamptz, p_ageing interval) returns smallint
language sql immutable parallel safe
as $$
  select greatest(-100, p_rank
    - greatest(0, floor(date_part('epoch', p_now - p_ready_at) / date_part('epoch', p_ageing))))::smallint
$$;

-- waits_since: since when p_task has waited: it was submitted, its time came, or it was redriven.
create or replace function sluice.waits_since(p_task sluice.task) returns timestamptz
language plpgsql stable
as $$
begin
  return greatest(p_task.created_at, p_task.run_at,
    (select max(a.redriven_at) from sluice.attempt a where a.task_id = p_task.id));
end
$$;

-- tend: looks through the queue of p_model when that is due: reroutes while it is closed (every 2 s), else ages its rows
-- (every ageing / 8). Requires the admit lock.
create or replace function sluice.tend(p_model sluice.models, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_moved int;
begin
  if sluice.is_open(p_model, p_now + interval '2 s') then
    if sluice.was_tended(p_model.id, (select ageing / 8 from sluice.settings), p_now) then
      return;
    end if;
    v_moved := sluice.age_queue(p_model.id, p_now);
  else
    if sluice.was_tended(p_model.id, interval '2 s', p_now) then
      return;
    end if;
    v_moved := sluice.reroute(p_model.id, p_now);
  end if;
  if v_moved < 1000 then  -- else there is more: go on at the next call
    perform sluice.set_counter('tended', p_model.id, sluice.micros(p_now));
  end if;
end
$$;

-- was_tended: whether the queue of model p_model was looked through within p_within before p_now.
create or replace function sluice.was_tended(p_model int, p_within interval, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
begin
  return coalesce(sluice.from_micros(sluice.counter('tended', p_model)) between p_now - p_within and p_now, false);
end
$$;

-- age_queue: gives rows of a queue that have waited there for one step or more the rank that their whole waiting
-- (waits_since) has earned them. ready_at stays.
-- Returns: how many moved; at most 1,000 a call, of the first 10,000 that are old enough. 0 also when the lock is busy.
create or replace function sluice.age_queue(p_model int, p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_moved sluice.queue[];
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return 0;
  end if;
  execute format($sql$
    with old as materialized (
      select q.task_id, q.rank from sluice.segments(%1$L) s
      cross join lateral (
        select q.task_id, q.rank from sluice.%1$I q
        where (q.rank, q.ready_at) >= (s.lo_rank, s.lo_ready) and q.rank <= s.hi_rank
          and q.rank > -100 and q.ready_at <= $1 - $2
        order by q.rank, q.ready_at, q.task_id limit 10000) q
      limit 10000),
    better as materialized (
      select o.task_id, r.rank
      from old o join sluice.task t on t.id = o.task_id
      cross join lateral sluice.aged_rank(-t.priority, sluice.waits_since(t), $1, $2) r(rank)
      where r.rank < o.rank limit 1000),
    free as materialized (
      select q.task_id, b.rank from better b join sluice.%1$I q on q.task_id = b.task_id for update of q skip locked),
    moved as (
      update sluice.%1$I q set rank = f.rank from free f where q.task_id = f.task_id returning q.*)
    select array_agg(row(m.task_id, m.ready_at, m.deadline, m.model, m.request_bytes, m.fence, m.rank, m.attempts,
      m.tenant)::sluice.queue)
    from moved m
    $sql$, 'queue_' || p_model)
  into v_moved using p_now, v_ageing;
  perform sluice.lower_marks('queue_' || p_model, array_agg(m.rank), array_agg(m.first))
  from (select rank, min(ready_at) as first from unnest(v_moved) group by rank) m;
  return coalesce(cardinality(v_moved), 0);
end
$$;
