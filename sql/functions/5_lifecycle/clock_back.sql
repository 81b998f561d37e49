-- What was dated by a clock that was ahead, once that has been set right.

-- follow_clock_back: brings to p_now what the clock dated while it was p_by ahead: else a worker
-- that fell silent is taken for alive until the clock is there again, its calls are not taken back,
-- a model that a backend closed for 2 s stays closed, tasks wait for an attempt, batches and jobs
-- for a step, and what was spent counts in windows that roll. Times that people have chosen stay:
-- run_at, deadlines, closing times. (Of a backend's closing time nobody knows whether it is from
-- before: then the model opens early, and is closed by its next answer.) So does the order of tasks
-- that were submitted meanwhile: they come behind younger ones of their lane. A part may be left:
-- rows that others have locked, and what waits beyond the first 100,000.
-- What the clock's jump ahead did is not undone: see permits_clock_jump.sql.
create or replace function sluice.follow_clock_back(p_by interval, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  c_retries_max constant int := 100000;  -- 2 s
  -- a backend's own time is at most an hour (throttle, retry_later)
  v_latest timestamptz := p_now + p_by + greatest(interval '1 hour',
    (select max(m.backoff_max) from sluice.models m));
begin
  -- one that sleeps has a time to come, for as long as it may sleep
  update sluice.worker w set seen = least(w.seen, greatest(p_now, w.seen - p_by)),
    beating_since = least(w.beating_since, greatest(p_now, w.beating_since - p_by)),
    dead_at = case when w.dead_at > p_now then p_now else w.dead_at end,
    suspected_at = case when w.suspected_at <= p_now then w.suspected_at end
  from (select o.id from sluice.worker o
    where greatest(o.seen, o.dead_at, o.suspected_at) > p_now for update skip locked) o
  where w.id = o.id;

  perform sluice.close_until(m.name, greatest(p_now, m.closed_until - p_by), m.closed_reason,
    m.closed_detail)
  from (select o.id from sluice.models o
    where o.closed_until > p_now and o.closed_until <= p_now + p_by + interval '1 hour'
      and o.closed_reason like 'throttled%'
    for no key update skip locked) o
  join sluice.models m on m.id = o.id;

  update sluice.batch b set look_at = p_now
  from (select o.id from sluice.batch o where o.phase <> 'done' and o.look_at > p_now
    for update skip locked) o
  where b.id = o.id;
  update sluice.job j set look_at = p_now
  from (select o.id from sluice.job o where o.state in ('running', 'cancelling', 'undoing')
    and o.look_at > p_now for update skip locked) o
  where j.id = o.id;

  update sluice.later l set ready_at = greatest(p_now, o.run_at, l.ready_at - p_by)
  from (
    select r.at, t.run_at
    from (select w.ctid as at, w.task_id, w.ready_at from sluice.later w
      where w.ready_at > p_now and w.ready_at <= v_latest
      order by w.ready_at limit c_retries_max for update skip locked) r
    cross join lateral (
      select t.run_at from sluice.task t where t.id = r.task_id limit 1) t
    where r.ready_at > coalesce(t.run_at, p_now)
      and not exists (select from sluice.budget_wait b where b.task_id = r.task_id)) o
  where l.ctid = o.at;

  update sluice.spent s set at = p_now where s.ctid = any (array(
    select o.ctid from sluice.spent o where o.at > p_now for update skip locked));
  update sluice.budget_call c set at = p_now where c.ctid = any (array(
    select o.ctid from sluice.budget_call o where o.at > p_now and o.state <> 'spent'
    for update skip locked));
  update sluice.budget_spent s set at = p_now where s.ctid = any (array(
    select o.ctid from sluice.budget_spent o where o.at > p_now for update skip locked));
  perform sluice.notify('sluice_work', '0');  -- any worker's look finds what is due
end
$$;
