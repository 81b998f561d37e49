-- What was dated by a clock that was ahead, once that has been set right.

-- follow_clock_back: brings to p_now what the clock dated while it was p_by ahead: else a worker
-- that fell silent is taken for alive until the clock is there again, its calls are not taken back,
-- a model that a backend closed for 2 s stays closed, tasks wait for an attempt, batches and jobs
-- for a step, and what was spent counts in windows that roll. Times that people have
-- chosen stay: run_at, deadlines, a closing time further ahead than a backend can ask for. A small
-- part may be left: rows that others have locked, and retries beyond the first 100,000.
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
  update sluice.worker w set seen = least(w.seen, p_now),
    beating_since = least(w.beating_since, p_now), dead_at = least(w.dead_at, p_now),
    suspected_at = case when w.suspected_at <= p_now then w.suspected_at end
  from (select o.id from sluice.worker o
    where greatest(o.seen, o.dead_at, o.suspected_at) > p_now for update skip locked) o
  where w.id = o.id;

  perform sluice.close_until(m.name, greatest(p_now, m.closed_until - p_by), m.closed_reason,
    m.closed_detail)
  from (select o.id from sluice.models o
    where o.closed_until > p_now and o.closed_until <= p_now + p_by + interval '1 hour'
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

  perform from sluice.spent s where s.at > p_now order by s.account, s.at for update;
  update sluice.spent s set at = p_now where s.at > p_now;
  update sluice.budget_call c set at = p_now where c.at > p_now and c.state <> 'spent';
  update sluice.budget_spent s set at = p_now where s.at > p_now;
  perform sluice.notify('sluice_work', '0');  -- any worker's look finds what is due
end
$$;
