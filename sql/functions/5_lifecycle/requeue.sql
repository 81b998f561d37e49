-- Calls that failed and are tried again, and outcomes that come too late.

-- storable_status: an HTTP status, or null for a number that is none, so that one odd outcome does
-- not make its whole flush fail.
create or replace function sluice.storable_status(p_status int) returns smallint
language sql immutable
as $$ select case when p_status between 100 and 999 then p_status::smallint end $$;

-- attempts_max: how many attempts task p_task may have on model p_model.
create or replace function sluice.attempts_max(p_task bigint, p_model int) returns int
language plpgsql stable
as $$
begin
  return (select coalesce((select max_attempts from sluice.task where id = p_task),
                  (select max_attempts from sluice.models where id = p_model), 1));
end
$$;

-- retry_later: puts tasks into later, with exponential backoff and full jitter, and no earlier than
-- the backend asked for:
--   wait = random() * least(backoff_max, backoff_base * 2^n), at least retry_after_ms (at most 1 h)
-- n is how many attempts were charged. (2^26 days still fit into an interval.) For a spared task n
-- is how often it was spared before, and its wait at least c_share_min of the time since. If it
-- could not be sent, its wait is at most what is left of unsent_timeout, so that it is tried once
-- more when that is over, and a moment where another model of its route may begin a call: the
-- breaker soon leaves it to that one. A postponed task waits for as many times as long as it closes
-- its model as it was postponed, up to c_closures_max times, so that the others have the model most
-- of the time. A route's task goes back to its route. A probe is not charged: a backend that is
-- down for a day must not turn its queue into dead letters. Whether that was the last attempt
-- store_results has decided: asked once more, after a change of max_attempts, a task would be lost
-- or be there twice.
create or replace function sluice.retry_later(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  -- A task that could not be sent waits at least this share of the time for which it has been
  -- spared, however short its model's backoff. So the number of its calls grows with the logarithm
  -- of that time: 100 * ln(3600), some 800 from the first second to the first hour.
  c_share_min constant double precision := 0.01;
  c_closures_max constant int := 20;
  v_unsent_timeout interval := (select unsent_timeout from sluice.settings);
begin
  insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
    attempts, route, tenant)
  select l.task_id,
    p_now + greatest(least(greatest(random() * least(m.backoff_max,
      m.backoff_base * (2 ^ least(w.n, 26))), w.least), w.left),
                     least(coalesce(o.retry_after_ms, 0), 3600000) * interval '1 millisecond',
                     interval '1 millisecond'),
    l.deadline, t.model, l.request_bytes, l.fence, l.rank,
    l.attempts + (o.kind = 'retry' and not sluice.is_probe(e.lease))::int, t.route, t.tenant
  from unnest(p_ended) e
  cross join lateral (select (e.lease).*) l
  cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o
  cross join lateral (
    select t.model, t.route, t.tenant from sluice.task t where t.id = l.task_id limit 1) t
  cross join lateral (
    select l.attempts::int as n, null::interval as least,
      null::interval as left where o.kind = 'retry'
      and not exists (select from sluice.result r where r.task_id = l.task_id)
    union all
    select s.calls - 1, greatest(c_share_min * (p_now - s.since), case o.error_code
        when 'throttled' then least(interval '1 hour',
          least(s.calls, c_closures_max) * sluice.closed_for(o.retry_after_ms)) end),
      case when o.error_code = 'not_sent' then least(s.since + v_unsent_timeout - p_now,
        case when sluice.others_are_open(t.route, l.model, p_now)
          then s.calls * interval '50 ms' end) end
    from sluice.spared_calls(l.task_id, o.error_code, null) s
    where sluice.is_spared(o.kind, o.error_code)) w
  join sluice.models m on m.id = l.model;
  perform sluice.notify_ready(r.model) from (   -- who sleeps may sleep for longer than the backoff
    select distinct (e.lease).model from unnest(p_ended) e
    where p_outcomes[e.place].kind = 'retry'
      or sluice.is_spared(p_outcomes[e.place].kind, p_outcomes[e.place].error_code)) r;
end
$$;

-- closed_for: for how long a 429 closes its model. Without a time: one second; from 0.1 s, for a
-- backend may say 0 for as long as it refuses, to an hour.
create or replace function sluice.closed_for(p_retry_after_ms bigint) returns interval
language sql immutable parallel safe
as $$
  select least(greatest(coalesce(p_retry_after_ms, 1000), 100), 3600000) * interval '1 millisecond'
$$;

-- postpone: p_outcomes, with kind returned and error_code throttled for tasks that were called
-- uncharged so often that the backend's 429 may be due to them alone, as that for a request larger
-- than its tokens a minute is. Back at its old place such a task would be the first again whenever
-- its model opens, and close it for all the others. It waits by itself instead (retry_later).
create or replace function sluice.postpone(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[]) returns sluice.outcome[]
language plpgsql volatile
as $$
declare
  -- A backend that limits everybody refuses many tasks at once, each a few times, until the
  -- workers' limits are low enough.
  c_uncharged_max constant int := 8;
  v_place int;
begin
  for v_place in
    select e.place from unnest(p_ended) e
    cross join lateral (select (p_outcomes[e.place]).kind, (p_outcomes[e.place]).error_code) o
    where o.kind = 'throttled' and not sluice.is_refusal(o.error_code)
      and coalesce(o.error_code not in ('credential', 'billing'), true)
      and (e.lease).fence - (e.lease).attempts > c_uncharged_max
      and (e.lease).fence - coalesce((   -- the fence goes on over redrives
        select max(a.fence) from sluice.attempt a where a.task_id = (e.lease).task_id
          and a.kind in ('retry', 'failed', 'lost', 'redriven', 'rerouted')), 0) > c_uncharged_max
  loop
    p_outcomes[v_place].kind := 'returned';
    p_outcomes[v_place].error_code := 'throttled';
  end loop;
  return p_outcomes;
end
$$;

-- throttle: closes the models of throttled outcomes for the whole fleet until the time that the
-- backend named; an existing closure is only prolonged. With error_code credential or billing
-- the model is parked until somebody resumes it, because waiting does not repair a wrong key or an
-- unpaid bill; the reason begins with the code. The backend's message is for administrators only.
-- A model whose row is locked is skipped, so that neither an open psql nor another flush holds this
-- flush up; the next throttled call closes it.
create or replace function sluice.throttle(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  perform sluice.close_until(m.name, w.until,
    sluice.closure_reason(coalesce(w.parked_for, 'throttled'), w.http_status),
    nullif(concat_ws(': ', w.parked_for, w.error), ''))
  from (
    select (e.lease).model, max(p.parked_for) as parked_for,
      (array_agg(o.http_status order by p.parked_for desc nulls last))[1] as http_status,
      (array_agg(o.error order by p.parked_for desc nulls last))[1] as error,
      case when bool_or(p.parked_for is not null) then 'infinity'
        else p_now + max(sluice.closed_for(o.retry_after_ms)) end as until
    from unnest(p_ended) e cross join lateral (select (p_outcomes[e.place]).*) o
    cross join lateral (
      select case when o.error_code in ('credential', 'billing')
        then o.error_code end as parked_for) p
    where o.kind = 'throttled' and not sluice.is_spared(o.kind, o.error_code) group by 1) w
  cross join lateral (
    select name from sluice.models
    where id = w.model and (closed_until is null or closed_until <= p_now
      or closed_until <= w.until - interval '1 second')
    for no key update skip locked) m;
end
$$;

-- requeue: puts ended leases back into their lines at their old positions: same ready_at, rank and
-- fence. Their rows in sluice.lease have been deleted in this transaction. Marks are lowered under
-- the lines' locks, which are taken in ascending order.
-- Params:  p_leases: may be null.
create or replace function sluice.requeue(p_leases sluice.lease[]) returns void
language plpgsql volatile
as $$
declare
  v_line int;
begin
  for v_line in select distinct coalesce(l.line, l.model) from unnest(p_leases) l order by 1 loop
    perform sluice.lock_line(v_line);
    execute format('insert into sluice.%I (task_id, ready_at, deadline, model, request_bytes, fence,
      rank, attempts, tenant)
      select l.task_id, l.ready_at, l.deadline, case when $2 > 0 then $2
          else (select r.model from sluice.route_line r where r.n = -$2 and r.route is null) end,
        l.request_bytes,
        l.fence, l.rank, l.attempts, l.tenant
      from unnest($1) l where coalesce(l.line, l.model) = $2',
      sluice.place_of(v_line)) using p_leases, v_line;
    perform sluice.lower_marks(v_line, array_agg(t.rank), array_agg(t.tenant), array_agg(t.first))
    from (select l.rank, sluice.tenant_key(l.tenant) as tenant, min(l.ready_at) as first
          from unnest(p_leases) l where coalesce(l.line, l.model) = v_line group by 1, 2) t;
    perform sluice.note_deadlines(v_line, min(l.deadline), max(l.deadline))
    from unnest(p_leases) l where coalesce(l.line, l.model) = v_line;
    perform sluice.notify_ready(v_line);
  end loop;
end
$$;

-- judge_late: finds out whether outcomes without a lease were applied by an earlier try of the same
-- call, or are late. A late outcome of kind solved, failed or retry is kept for audit, once,
-- because somebody may have paid for it; not if its task was forgotten. What it says is kept, and
-- settles budgets, only if a row says that this worker had that call: a recovery's, its own, or a
-- budget's. (Nothing says so of a worker that unregistered.) An outcome is not taken for
-- applied because of a row that a recovery wrote when the worker was lost; that row says of which
-- model the late call was, and when it began, hence what it cost. If a task's result names no
-- worker, the task had gone back and ended while it waited.
create or replace function sluice.judge_late(
  p_worker bigint, p_outcomes sluice.outcome[], p_places int[], p_now timestamptz,
  p_usages sluice.usage[])
returns table (task_id bigint, fence int, applied boolean)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_believed int[] := array(   -- places of outcomes of calls that this worker is known to have had
    select o.ordinality from unnest(p_outcomes) with ordinality o
    where (exists (select from sluice.attempt a where a.task_id = o.task_id and a.fence = o.fence
        and a.worker = p_worker and a.kind <> 'late')
      or exists (select from sluice.result r where r.task_id = o.task_id and r.fence = o.fence
        and r.worker = p_worker)
      or exists (select from sluice.budget_call c where c.task_id = o.task_id and c.fence = o.fence
        and c.worker = p_worker))
      and coalesce(o.ordinality <> all (p_places), true));
begin
  if exists (select from sluice.budgets) then
    perform sluice.settle_budgets(p_outcomes, p_usages, v_believed, 'kept', p_now);
  end if;
  return query
  with judged as materialized (
    select o.*, coalesce(o.ordinality = any (p_places), false)
      or ((exists (select from sluice.result r where r.task_id = o.task_id and r.fence = o.fence
        and coalesce(r.worker, p_worker) = p_worker
                   and (r.status = case o.kind when 'solved' then 'solved' when 'cancelled'
                     then 'cancelled' else 'failed' end
                        or r.status = 'cancelled' and o.kind is distinct from 'solved'))
           or exists (select from sluice.attempt a where a.task_id = o.task_id and a.fence = o.fence
                      and a.worker = p_worker and a.kind = 'redriven')
                        and o.kind is distinct from 'solved')
          and not exists (select from sluice.attempt a where a.task_id = o.task_id
            and a.fence = o.fence
                          and a.worker = p_worker and a.kind = 'lost'))
      or exists (select from sluice.attempt a where a.task_id = o.task_id and a.fence = o.fence
        and a.worker = p_worker
                 and (a.kind = 'rerouted' or a.kind in ('retry', 'failed')
                   and coalesce(o.kind, '') not in ('solved', 'cancelled'))) as applied,
      row_number() over (partition by o.task_id, o.fence order by o.ordinality) as nth
    from unnest(p_outcomes) with ordinality o),
  kept as (
    insert into sluice.attempt (task_id, worker, ended_at, fence, input_tokens, output_tokens,
      http_status, billed, kind, error_code, error, answer, response, cached_tokens,
      cache_write_tokens, reasoning_tokens, cost)
    select j.task_id, p_worker, p_now, j.fence, o.input_tokens, o.output_tokens,
      sluice.storable_status(o.http_status), o.billed, 'late', o.error_code, o.error,
      o.answer, o.response, u.cached_tokens, u.cache_write_tokens, u.reasoning_tokens,
      (select sluice.cost_of(a.model, a.started_at, o.input_tokens, o.output_tokens,
          p_usages[j.ordinality])
       from sluice.attempt a join sluice.models m on m.name = a.model
       where a.task_id = j.task_id and a.fence = j.fence and a.kind = 'lost'
         and a.worker = p_worker limit 1)
    from judged j
    cross join lateral (select (x.o).* from (select case when j.ordinality = any (v_believed)
      then p_outcomes[j.ordinality] end as o offset 0) x) o
    cross join lateral (select (x.u).* from (select case when j.ordinality = any (v_believed)
      then p_usages[j.ordinality] end as u offset 0) x) u
    where not j.applied and j.nth = 1 and j.fence is not null
      and j.kind in ('solved', 'failed', 'retry')
      and exists (select from sluice.task t where t.id = j.task_id and t.forgotten_at is null)
      and not exists (select from sluice.attempt a where a.task_id = j.task_id and a.fence = j.fence
                      and a.worker = p_worker and a.kind = 'late'))
  select j.task_id, j.fence, j.applied from judged j order by j.ordinality;
end
$$;
