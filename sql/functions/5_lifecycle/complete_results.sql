-- The rows that complete writes for ended calls: results, and failed attempts.

-- store_results: inserts the final outcomes: solved, failed, cancelled, and retry when no attempt
-- is left. The primary key of sluice.result guarantees that a task has one result; ON CONFLICT is
-- an additional safeguard. An outcome without a known reason, or of an unknown kind, is stored as a
-- failure.
create or replace function sluice.store_results(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz,
  p_usages sluice.usage[]) returns void
language plpgsql volatile
as $$
declare
  v_first bigint;
  v_last bigint;
  v_end record;
begin
  select min((e.lease).task_id), max((e.lease).task_id) into v_first, v_last from unnest(p_ended) e;
  for v_end in with stored as (
    insert into sluice.result (task_id, worker, created_at, queued_at, started_at, finished_at,
      fence, input_tokens, output_tokens, attempts, http_status, status, model, error_code, error,
      cost, answer, response, cached_tokens, cache_write_tokens, reasoning_tokens)
    select l.task_id, l.worker, t.created_at, l.ready_at, l.started_at, p_now, l.fence,
      o.input_tokens, o.output_tokens, l.attempts + (o.kind is distinct from 'cancelled')::int,
      sluice.storable_status(o.http_status),
      case o.kind when 'solved' then 'solved' when 'cancelled' then 'cancelled'
        else 'failed' end, m.name,
      coalesce(o.error_code, x.error_code), coalesce(o.error, x.error),
      case when m.is_priced then sluice.cost_of(m.name, l.started_at, o.input_tokens,
          o.output_tokens, p_usages[e.place])
        when o.input_tokens is not null and o.output_tokens is not null then 0.000000 end,
      o.answer, case when sluice.keeps_response(m) or t.is_verbatim
        or o.answer is null then o.response end, u.cached_tokens, u.cache_write_tokens,
      u.reasoning_tokens
    from unnest(p_ended) e
    cross join lateral (select (e.lease).*) l
    cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o
    cross join lateral (select (x.u).* from (select p_usages[e.place] as u offset 0) x) u
    cross join lateral (   -- as leased_tasks
      select t.created_at, t.request is not null as is_verbatim from sluice.task t
      where t.id = l.task_id and t.id between v_first and v_last limit 1) t
    join sluice.models m on m.id = l.model
    left join (values
        ('unknown', 'unknown_outcome', 'the worker reported an outcome of no known kind'),
        ('cancelled', 'cancelled', 'cancelled while a worker had it')) x(kind, error_code, error)
      on x.kind = case when o.kind = 'cancelled' then o.kind
                       when coalesce(o.kind, '') not in ('solved', 'failed', 'retry')
                         then 'unknown' end
    where coalesce(o.kind, '') not in ('retry', 'throttled', 'returned', 'rerouted')
       or (o.kind = 'retry' and l.attempts + 1 >= sluice.attempts_max(l.task_id, l.model)
         and not sluice.is_probe(e.lease))
    on conflict do nothing returning status)
  select s.status, count(*)::int as tasks from stored s group by s.status loop
    perform sluice.count_results(v_end.status, v_end.tasks);
  end loop;
end
$$;

-- note_attempts: one row for every call that failed, unknown kinds included. If it was not charged
-- (spared, or a batch that failed as a whole) its kind is returned.
create or replace function sluice.note_attempts(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz,
  p_usages sluice.usage[]) returns void
language plpgsql volatile
as $$
begin
  insert into sluice.attempt (task_id, worker, started_at, ended_at, fence, input_tokens,
    output_tokens, http_status, billed, kind, model, error_code, error, answer, response,
    fallback_to, cached_tokens, cache_write_tokens, reasoning_tokens, cost)
  select l.task_id, l.worker, l.started_at, p_now, l.fence, o.input_tokens, o.output_tokens,
    sluice.storable_status(o.http_status), o.billed,
    case when o.kind = 'throttled' then 'returned'
      when o.kind in ('retry', 'returned', 'rerouted') then o.kind else 'failed' end,
    m.name, o.error_code, o.error, case when o.kind = 'rerouted' then o.answer end,
    case when o.kind = 'rerouted' then o.response end, case when o.kind = 'rerouted'
      then (select n.name from sluice.task t join sluice.models n on n.id = t.model
        where t.id = l.task_id) end, u.cached_tokens, u.cache_write_tokens, u.reasoning_tokens,
    case when m.is_priced then sluice.cost_of(m.name, l.started_at, o.input_tokens,
        o.output_tokens, p_usages[e.place])
      when o.input_tokens is not null and o.output_tokens is not null then 0.000000 end
  from unnest(p_ended) e
  cross join lateral (select (e.lease).*) l
  cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o
  cross join lateral (select (x.u).* from (select p_usages[e.place] as u offset 0) x) u
  join sluice.models m on m.id = l.model
  where coalesce(o.kind, '') not in ('solved', 'throttled', 'returned', 'cancelled')
     or (o.kind = 'returned' and o.error_code is not null)
       or sluice.is_spared(o.kind, o.error_code);
end
$$;
