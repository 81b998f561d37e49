-- complete for calls that did not all end with an answer.

-- end_calls: complete for outcomes of every kind.
-- Returns: the places of those that found their leases.
create or replace function sluice.end_calls(
  p_worker bigint, p_outcomes sluice.outcome[], p_now timestamptz,
  p_usages sluice.usage[])
returns int[]
language plpgsql volatile
as $$
declare
  v_now timestamptz;
  v_ended sluice.ended_call[];
  v_told sluice.outcome[];      -- as told, but for tasks that were spared for long enough, or go on
begin
  -- Locked in ascending order of id: two workers, or a worker and a recovery, never wait for each
  -- other in a circle. Measured without the order: 70 deadlocks in 6 s. The limit keeps the
  -- outcomes on the outer side: a plan made while there were few leases would walk all of them,
  -- once for each outcome (55 ms for 250, so 2 ms). "+ 0" keeps the index on worker out: a plan by
  -- it walks all that this worker ever held, and under a held snapshot these stay (27 tasks a
  -- second after 60,000, seen).
  with told as materialized (
    select o.task_id, o.fence, o.ordinality::int as place
    from unnest(p_outcomes) with ordinality o order by o.task_id),
  pick as materialized (
    select l.at, o.place from told o
    cross join lateral (
      select l.ctid as at from sluice.lease l
      where l.task_id = o.task_id and l.fence = o.fence and l.worker + 0 = p_worker
      limit 1 for update) l),
  gone as (
    delete from sluice.lease l using pick p where l.ctid = p.at returning l as lease, p.place)
  select array_agg(row(g.place, g.lease)::sluice.ended_call) into v_ended from gone g;

  -- after the locks: what goes back must not lie below marks
  v_now := coalesce(p_now, clock_timestamp());
  v_told := sluice.fall_back(sluice.postpone(sluice.give_up(p_outcomes, v_ended, v_now), v_ended),
    v_ended, v_now);
  perform sluice.store_results(v_told, v_ended, v_now, p_usages);
  perform sluice.note_attempts(v_told, v_ended, v_now, p_usages);
  perform sluice.retry_later(v_told, v_ended, v_now);
  perform sluice.throttle(p_outcomes, v_ended, v_now);
  perform sluice.requeue((select array_agg(e.lease)
    from unnest(v_ended) e
    cross join lateral (select (v_told[e.place]).kind, (v_told[e.place]).error_code) o
    where o.kind in ('throttled', 'returned')
      and not sluice.is_spared(o.kind, o.error_code)));
  if exists (select from sluice.cancellation c where c.worker = p_worker) then
    perform sluice.settle_cancellations(v_now, array(select (e.lease).task_id
      from unnest(v_ended) e));
  end if;
  if random() < 0.125 then  -- now and then is enough
    perform sluice.learn_from(p_outcomes, v_ended);
  end if;
  perform sluice.settle_reserved(p_outcomes, v_ended, v_now);
  if exists (select from sluice.budgets) then
    perform sluice.settle_budgets(p_outcomes, p_usages,
      array(select e.place from unnest(v_ended) e), 'held', v_now);
  end if;
  perform sluice.note_health(p_outcomes, v_ended, v_now),
    sluice.note_speeds(p_outcomes, v_ended, v_now);
  perform sluice.count_ended((select array_agg(e.lease) from unnest(v_ended) e));
  return array(select e.place from unnest(v_ended) e);
end
$$;
