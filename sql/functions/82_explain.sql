-- explain: why a task is where it is, in one honest sentence: from what can be read now, nothing guessed. A function a
-- place, and one a family of reasons. No prompt, no answer.

-- explain: one sentence about task id.
-- Returns: for example: queued for gpt-x: 311 ahead, next permit 14:32:10 (rpm 600), expected start 14:32:41
--          Times in the session's time zone, with the date when that is not today's.
-- Errors:  SL006 no such task.
create or replace function sluice.explain(id bigint, p_now timestamptz default null) returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_task sluice.task;
  v_place record;
  v_sentence text;
begin
  select * into v_task from sluice.task t where t.id = explain.id;
  perform sluice.require_task(explain.id, v_task.tenant);
  -- A task that moves between the look at its place and the look at its row is looked for again.
  for v_try in 1 .. 100 loop
    v_place := sluice.find_place(v_task.id, v_task.model, v_task.route, v_try);
    v_sentence := case v_place.status
      when 'unsolved' then sluice.explain_later(v_task, v_now)
      when 'queued' then sluice.explain_queued(v_task, v_place.line, v_now)
      when 'processing' then sluice.explain_lease(v_task, v_now)
      else sluice.explain_result(v_task.id, v_now) end;
    exit when v_sentence is not null;
  end loop;
  return coalesce(v_sentence, 'moving from one place to another');
end
$$;

-- clock_text: a time for people.
create or replace function sluice.clock_text(p_time timestamptz, p_now timestamptz) returns text
language sql stable
as $$
  select case when isfinite(p_time)
    then to_char(p_time, case when p_time::date = p_now::date then 'HH24:MI:SS' else 'YYYY-MM-DD HH24:MI:SS' end)
    else p_time::text end
$$;

-- deadline_text: what a deadline adds to the sentence of a task that waits: the row's, for a redrive drops one that has passed.
create or replace function sluice.deadline_text(p_deadline timestamptz, p_now timestamptz) returns text
language sql stable
as $$
  select case when p_deadline <= p_now then ', past its deadline: it ends as expired'
              when p_deadline > p_now then ', deadline ' || sluice.clock_text(p_deadline, p_now) else '' end
$$;

-- ahead_max: how many tasks explain counts.
create or replace function sluice.ahead_max() returns int
language sql immutable parallel safe
as $$ select 10000 $$;

-- ahead_text: how many tasks are ahead. Params: p_routed: so many of them are a route's.
create or replace function sluice.ahead_text(p_ahead int, p_routed int) returns text
language sql immutable
as $$
  select case when p_ahead = 0 then 'first in its queue'
    when p_ahead > sluice.ahead_max() then 'more than ' || to_char(sluice.ahead_max(), 'FM999,999') || ' ahead'
    else p_ahead || ' ahead' || case when p_routed > 0 then format(' (about %s of them by routes)', p_routed) else '' end end
$$;

-- explain_later: for a task that waits for its time; null when it does not.
create or replace function sluice.explain_later(p_task sluice.task, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_row sluice.later := (select row(l.task_id, l.ready_at, l.deadline, l.model, l.request_bytes, l.fence, l.rank, l.attempts, l.route,
    l.tenant)::sluice.later from sluice.later l where l.task_id = p_task.id);
  v_name text := coalesce(p_task.route, (select name from sluice.models where id = p_task.model));
  v_when text := case when v_row.ready_at > p_now then 'until ' || sluice.clock_text(v_row.ready_at, p_now)
                      else 'to be queued: its time has come' end;
  v_last sluice.attempt := (select a from sluice.attempt a
    where a.task_id = p_task.id and a.kind in ('retry', 'returned') order by a.id desc limit 1);
begin
  if v_row.task_id is null then
    return null;
  end if;
  return case
    when v_row.ready_at = p_task.run_at then format('waits %s (run_at) for %s', v_when, v_name)
    when v_last.kind = 'returned' then
      format('waits %s to try again on %s, uncharged: %s', v_when, v_name, sluice.error_line(v_last.error))
    when v_last.kind = 'retry' then
      format('waits %s to retry on %s: attempt %s of %s is next, the last one failed with %s', v_when, v_name,
        v_row.attempts + 1, sluice.attempts_text(p_task), coalesce(v_last.error_code, v_last.http_status::text, 'no code'))
    else format('waits %s for %s', v_when, v_name) end
    || coalesce('; then ' || sluice.closed_then_text(p_task, v_row.ready_at, p_now), '') || sluice.deadline_text(v_row.deadline, p_now);
end
$$;

-- closed_then_text: why a task that waits for its time cannot be called for at that time either; null: it can.
create or replace function sluice.closed_then_text(p_task sluice.task, p_ready_at timestamptz, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_models sluice.models[] := array(
    select m from sluice.models m
    where m.id = p_task.model or m.name in (select r.model from sluice.routes r where r.route = p_task.route and r.weight > 0));
begin
  return case
    when exists (select from unnest(v_models) m where sluice.is_open(m, greatest(p_ready_at, p_now))) then null
    when p_task.route is null then sluice.closed_text(v_models[1], p_now)
    else sluice.route_text(p_task.route, p_task.api, p_now) end;
end
$$;

-- attempts_text: how many attempts a task may have: its own number, or its model's; a route's may differ.
create or replace function sluice.attempts_text(p_task sluice.task) returns text
language plpgsql volatile
as $$
declare
  v_least int;
  v_most int;
begin
  select min(sluice.attempts_max(p_task.id, m.id)), max(sluice.attempts_max(p_task.id, m.id)) into v_least, v_most
  from sluice.models m
  where m.id = p_task.model or m.name in (
    select r.model from sluice.routes r where r.route = p_task.route and r.weight > 0);
  return concat_ws(' to ', v_least, nullif(v_most, v_least));
end
$$;

-- tenant_text: until when a tenant has no permit, and how much later the task with p_ahead before it has its own, if the
-- quota in requests alone decides; null: he has one, or needs none.
create or replace function sluice.tenant_text(p_tenant text, p_ahead int, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_tenant sluice.tenants := (select t from sluice.tenants t where t.name = p_tenant);
  v_requests sluice.quota := sluice.request_quota(v_tenant);
  v_tokens sluice.quota := sluice.token_quota(v_tenant);
begin
  if coalesce(least(sluice.permits_now(v_requests, p_now), sluice.permits_now(v_tokens, p_now)) > 0, true) then
    return null;
  end if;
  return format('tenant "%s" has no permit before %s (%s)', p_tenant,
      sluice.clock_text(greatest(sluice.permit_at(v_requests, p_now), sluice.permit_at(v_tokens, p_now)), p_now),
      concat_ws(', ', 'rpm ' || v_tenant.rpm, 'tpm ' || v_tenant.tpm))
    || case when v_tenant.tpm is null and p_ahead between 1 and sluice.ahead_max()
       then ', this task not before ' || sluice.clock_text(sluice.permit_at(v_requests, p_now, p_ahead), p_now) else '' end;
end
$$;

-- route_text: of a route of which no model is open: when the next one will be.
-- Params:  p_api: of a verbatim request: only models that speak it.
create or replace function sluice.route_text(p_route text, p_api text, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_models sluice.models[] := array(
    select m from sluice.routes r join sluice.models m on m.name = r.model
    where r.route = p_route and r.weight > 0 and coalesce(m.api = p_api, true) order by m.name);
begin
  return 'none of its models' || coalesce(' that speak ' || p_api, '')
    || case when v_models = '{}' then ' has a weight' else ' is open' end
    || coalesce((select '; ' || m.name || ' will be at ' || sluice.clock_text(greatest(m.closed_until, sluice.probe_at(m, p_now)), p_now)
                 from unnest(v_models) m where not m.paused and coalesce(isfinite(m.closed_until), true)
                 order by greatest(m.closed_until, sluice.probe_at(m, p_now)) limit 1), '');
end
$$;

-- closed_text: why nothing, or no more than a probe, may be claimed for a model, or null. The most lasting reason first.
create or replace function sluice.closed_text(p_model sluice.models, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_reason text := coalesce(' (' || sluice.shown_reason(p_model.closed_reason, p_model.closed_detail) || ')', '');
  v sluice.breaker := (select b from sluice.breaker b where b.model = p_model.id);
  v_probe timestamptz := (select l.started_at from sluice.lease l where (l.task_id, l.fence) = (v.probe_task, v.probe_fence));
begin
  return case
    when p_model.paused then 'the model is paused'
    when p_model.closed_until = 'infinity' then 'the model is parked until somebody opens it' || v_reason
    when p_model.closed_until > p_now then
      'the model is closed until ' || sluice.clock_text(p_model.closed_until, p_now) || v_reason
    when v.state = 'open' and not sluice.is_open(p_model, p_now) then
      'the breaker is open until ' || sluice.clock_text(v.since + p_model.breaker_open, p_now) || coalesce(' (' || v.reason || ')', '')
    when v.state = 'open' then 'the breaker lets one call at a time through'
    when v.state = 'half_open' then 'the breaker is half open and lets one call at a time through'
      || coalesce(', a probe is under way since ' || sluice.clock_text(v_probe, p_now), '') end;
end
$$;

-- live_workers: those that serve a model and have proved life.
create or replace function sluice.live_workers(p_model sluice.models, p_now timestamptz) returns bigint[]
language plpgsql volatile
as $$
begin
  return array(
    select w.id from sluice.worker w, sluice.settings s
    where w.dead_at is null and w.seen >= p_now - s.heartbeat_timeout and sluice.serves(w, p_model));
end
$$;

-- unserved_text: why no worker can take a task of a model now, or null.
create or replace function sluice.unserved_text(p_model sluice.models, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_workers bigint[] := sluice.live_workers(p_model, p_now);
  v_slots bigint := (select sum(slots) from sluice.worker where id = any (v_workers));
begin
  if v_workers = '{}' then
    return 'no live worker serves the model';
  elsif p_model.max_in_flight <= sluice.in_flight(p_model.id) then
    return format('all calls that max_in_flight allows are under way (%s)', p_model.max_in_flight);
  elsif (select count(*) from sluice.lease where worker = any (v_workers)) >= v_slots then
    return format('all slots of its workers are busy (%s)', v_slots);
  end if;
  return null;
end
$$;

-- explain_queued: for a task that is ready in line p_line; null when it is not there.
create or replace function sluice.explain_queued(p_task sluice.task, p_line int, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_model sluice.models := (select m from sluice.models m where m.id = p_line);
  v_ahead record := sluice.tasks_ahead(p_task.id, p_line, p_now);
  v_deadline timestamptz;
begin
  if v_ahead.tasks is null then
    return null;
  end if;
  execute format('select deadline from sluice.%I where task_id = $1', 'queue_' || sluice.line_name(p_line))
  into v_deadline using p_task.id;
  return format('queued for %s: %s, %s',
    case when p_line < 0 then 'route ' || p_task.route else v_model.name || coalesce(' of route ' || p_task.route, '') end,
    sluice.ahead_text(v_ahead.tasks, v_ahead.routed),
    concat_ws(', ', case when p_line < 0 then sluice.takers_text(p_task.route, p_task.api, p_line, p_now) end,
      coalesce(case when p_line > 0 then coalesce(sluice.closed_text(v_model, p_now), sluice.unserved_text(v_model, p_now)) end,
        sluice.tenant_text(p_task.tenant, v_ahead.tasks, p_now),
        case when p_line > 0 then coalesce(sluice.permit_text(v_model, v_ahead.tasks, p_now),
          case when v_ahead.tasks = 0 then 'next to be claimed' else 'claimed as slots become free' end) end)))
    || sluice.deadline_text(v_deadline, p_now);
end
$$;

-- takers_text: which models could take a task of route line p_line now, and why each of the others does not; by name, of each at most 5.
create or replace function sluice.takers_text(p_route text, p_api text, p_line int, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_can text[];
  v_cannot text[];
begin
  select array_agg(m.name order by m.name) filter (where m.why is null),
    array_agg(format('%s (%s)', m.name, m.why) order by m.name) filter (where m.why is not null)
  into v_can, v_cannot
  from (select m.name, sluice.hindrance_text(m, p_line, p_now) as why from sluice.routes r join sluice.models m on m.name = r.model
        where r.route = p_route and r.weight > 0 and coalesce(m.api = p_api, true) offset 0) m;
  if v_can is null and v_cannot is null then
    return sluice.route_text(p_route, p_api, p_now);
  end if;
  return case when v_can is null then 'no model can take it now: ' || sluice.some_text(v_cannot)
    else concat_ws('; ', 'can be taken by ' || sluice.some_text(v_can), 'not by ' || sluice.some_text(v_cannot)) end;
end
$$;

-- some_text: the first 5 of p_texts, and how many more there are.
create or replace function sluice.some_text(p_texts text[]) returns text
language sql immutable
as $$
  select array_to_string(p_texts[:5], ', ')
    || case when cardinality(p_texts) > 5 then format(' and %s more', cardinality(p_texts) - 5) else '' end
$$;

-- hindrance_text: why model p_model does not take of route line p_line now, or null. The most lasting reason first.
create or replace function sluice.hindrance_text(p_model sluice.models, p_line int, p_now timestamptz) returns text
language plpgsql volatile
as $$
begin
  return coalesce(sluice.closed_text(p_model, p_now), sluice.unserved_text(p_model, p_now),
    case when sluice.permits_now(p_model, p_now) <= 0 then sluice.permit_text(p_model, null, p_now)
      when not pg_is_in_recovery()
           and coalesce((sluice.meter_of(p_line, p_model.id)).at not between p_now - sluice.asks_for() and p_now, true)
        then format('has not asked for %s s', extract(epoch from sluice.asks_for())::int) end);
end
$$;

-- tasks_ahead: how many tasks will be taken before one that waits in line p_line, by what waits now, if all are equally long: those of
-- better rank, its tenant's that have waited for longer, and beside each of these its weight's worth of every other tenant's. For a model's
-- own, the lines of its routes stand beside its line: of what they put before it the part counts that the model may expect to take.
-- Returns: tasks: counted to ahead_max + 1, of the first 64 lanes of each line; null: it is not there; routed: those of routes.
create or replace function sluice.tasks_ahead(p_task bigint, p_line int, p_now timestamptz, out tasks int, out routed int)
language plpgsql volatile
as $$
declare
  v_model sluice.models := (select m from sluice.models m where m.id = p_line);
  v_lines int[] := case when p_line > 0 then sluice.lines_for(v_model) else array[p_line] end;
  v_heads sluice.head[] := array(
    select h from unnest(v_lines) l cross join lateral unnest(sluice.lane_heads(l, sluice.window_max(), p_now => p_now)) h);
  v_best smallint := sluice.best_rank(v_heads);
  v_ageing interval := (select ageing from sluice.settings);
  v_me record;
begin
  execute format('select q.rank, q.ready_at, q.tenant, sluice.tenant_key(q.tenant) as key from sluice.%I q where q.task_id = $1',
    'queue_' || sluice.line_name(p_line)) into v_me using p_task;
  if v_me.rank is null then
    return;
  end if;
  with me as (
    select greatest(v_best, sluice.aged_rank(v_me.rank, v_me.ready_at, p_now, v_ageing)) as aged,
      coalesce((select t.weight from sluice.tenants t where t.name = v_me.tenant), 1) as weight),
  part as materialized (select l as line, sluice.line_part(l, v_model, p_now) as part from unnest(v_lines) l),
  lane as materialized (
    select h, h.tenant, h.tenant = v_me.key as own, h.line < 0 and p_line > 0 as routed, p.part, l.aged < me.aged as better,
      coalesce((select t.weight from sluice.tenants t where sluice.tenant_key(t.name) = h.tenant), 1) / me.weight as weight
    from unnest(v_heads) h join part p on p.line = h.line cross join me
    cross join lateral (select greatest(v_best, sluice.aged_rank(h.rank, h.ready_at, p_now, v_ageing)) as aged) l where l.aged <= me.aged),
  counted as materialized (
    select l.*, l.part * case when l.own and not l.better then sluice.count_lane(l.h, v_me.ready_at, p_task)
      else sluice.count_lane(l.h) end as n
    from lane l),
  mine as (select coalesce(sum(c.n) filter (where c.own and not c.better), 0) as n from counted c),
  before as (
    -- A tenant's turns are his in all lines together.
    select c.routed, case when c.better or c.own then c.n
        else c.n * least(1, floor((m.n + 0.5) * c.weight) / nullif(sum(c.n) over (partition by c.tenant, c.better), 0)) end as n
    from counted c, mine m)
  select least(sluice.ahead_max() + 1, round(sum(b.n))), round(sum(b.n) filter (where b.routed)) into tasks, routed from before b;
  tasks := coalesce(tasks, 0);
end
$$;

-- line_part: which part of what waits in line p_line a model may expect to take: all of its own, of a route's as its weight says beside the
-- others that can call now.
create or replace function sluice.line_part(p_line int, p_model sluice.models, p_now timestamptz) returns double precision
language plpgsql volatile
as $$
declare
  v_weight double precision := (
    select r.weight from sluice.route_line l join sluice.routes r on r.route = l.route where l.n = -p_line and r.model = p_model.name);
begin
  return case v_weight when 0 then 0 else coalesce(v_weight / (v_weight + sluice.route_weight(p_line, p_model.id, p_now)), 1) end;
end
$$;

-- count_lane: how many tasks wait in the lane of p_head, at most ahead_max + 1. Params: p_ready_at, p_task: only those before it.
-- From the head on: dead rows are not walked over.
create or replace function sluice.count_lane(p_head sluice.head, p_ready_at timestamptz default null, p_task bigint default null)
returns int
language plpgsql volatile
as $$
declare
  v_count int;
begin
  execute format('select count(*) from (
      select from sluice.%I q
      where q.rank = $1 and (hashtextextended(q.tenant, 0) >> 1) = $2 and q.ready_at >= $3
        and ($4 is null or (q.ready_at, q.task_id) < ($4, $5)) limit $6) q', 'queue_' || sluice.line_name(p_head.line))
  into v_count using p_head.rank, p_head.tenant, p_head.ready_at, p_ready_at, p_task, sluice.ahead_max() + 1;
  return v_count;
end
$$;

-- permit_text: what the quotas let a task of an open and served model expect; null without a quota. When a quota in requests
-- alone decides, the task with n = p_ahead ahead (null: not known) takes the permit n + 1; how many tokens those ahead take
-- is not known.
create or replace function sluice.permit_text(p_model sluice.models, p_ahead int, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_now_free bigint := sluice.permits_now(p_model, p_now);
  v_limits text := concat_ws(', ', 'rpm ' || p_model.rpm, 'tpm ' || p_model.tpm);
  v_start text := case when p_model.tpm is null then
    sluice.clock_text(sluice.permit_at(sluice.request_quota(p_model), p_now, p_ahead), p_now) end;
begin
  if p_model.rpm is null and p_model.tpm is null then
    return null;
  end if;
  return case when coalesce(v_now_free > 0, true)
      then concat_ws(' ', v_now_free, 'permit(s) now') || ' (' || v_limits || ')'
      else format('next permit %s (%s)', sluice.clock_text(sluice.permit_at(p_model, p_now), p_now), v_limits) end
    || case when p_ahead between v_now_free and sluice.ahead_max()
       then coalesce(', expected start ' || v_start, '') else '' end;
end
$$;

-- explain_lease: for a task that a worker has; null when none has it.
create or replace function sluice.explain_lease(p_task sluice.task, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v sluice.lease := (select l from sluice.lease l where l.task_id = p_task.id);
  v_worker sluice.worker := (select w from sluice.worker w where w.id = v.worker);
  v_attempt text := format('attempt %s of %s on %s', v.attempts + 1, sluice.attempts_max(p_task.id, v.model),
                           (select name from sluice.models where id = v.model) || coalesce(' of route ' || p_task.route, ''));
  v_cancelled timestamptz := (select c.at from sluice.cancellation c where c.task_id = v.task_id and c.fence = v.fence);
begin
  if v.task_id is null then
    return null;
  elsif v_worker.dead_at is null and v_worker.seen >= p_now - (select heartbeat_timeout from sluice.settings) then
    return format('processing by worker %s since %s (%s)', v_worker.name, sluice.clock_text(v.started_at, p_now),
                  v_attempt) || coalesce(', to be aborted: cancelled at ' || sluice.clock_text(v_cancelled, p_now), '');
  end if;
  return format('held by worker %s, which stopped proving life%s: it will be taken back (%s)',
    coalesce(v_worker.name, v.worker::text), coalesce(' at ' || sluice.clock_text(v_worker.seen, p_now), ''),
    v_attempt);
end
$$;

-- error_line: an error, cut to one line of 200 characters.
create or replace function sluice.error_line(p_error text) returns text
language sql immutable parallel safe
as $$ select left(regexp_replace(p_error, '\s+', ' ', 'g'), 200) $$;

-- explain_result: for a task that has ended; null when it has not.
create or replace function sluice.explain_result(p_task bigint, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v sluice.result := (select r from sluice.result r where r.task_id = p_task);
  v_on text := coalesce(' on ' || v.model, '') || ' at ' || sluice.clock_text(v.finished_at, p_now);
begin
  return case v.status
    when 'solved' then format('solved%s after %s attempt(s)', v_on, v.attempts)
    when 'failed' then format('failed%s after %s attempt(s): %s; redrive with select sluice.redrive(%s)', v_on,
      v.attempts, concat_ws(', ', v.error_code, sluice.error_line(v.error)), p_task)
    when 'cancelled' then format('cancelled%s', v_on)
    when 'expired' then format('expired%s: its deadline passed before a worker could start it', v_on) end;
end
$$;
