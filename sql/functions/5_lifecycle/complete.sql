comment on type sluice.outcome is
'How one call ended. kind: solved; failed (for good); retry (charged; called again after a '
'backoff); throttled (closes the model for retry_after_ms, not charged); returned (never sent, or '
'failed through no proven fault of the task: not charged); cancelled. complete() says where each '
'goes.';

-- complete: records how calls ended: call it with all that ended since the last time, and commit
-- synchronously. Where the COMMIT's answer was lost call it again with the same outcomes: they get
-- the same answers.
-- Params:  worker: its id; outcomes: one for each call; the type's comment lists the kinds.
-- Returns: for each outcome whether it was applied. If not, the task was no longer this worker's
--          under this fence: the late outcome is kept in sluice.attempts for audit and changes
--          nothing. (throttled and returned, repeated, get false: their tasks have already gone
--          back, and there is nothing to do either way.)
-- Errors:  SL004 arrays that do not begin at 1, or have several dimensions.
--
-- Moves:   A lease becomes a result (solved, failed, cancelled), or its task goes to later (retry),
--          or to its old position in its line (throttled, returned). Exceptions:
--          - returned with error_code not_sent, and throttled with http_403, http_404 or http_405,
--            go to later, uncharged, and fail when that has gone on for long
--            (3_limits/closures_by_refusals.sql). So does, as long as it takes, a task that was
--            throttled after eight uncharged calls.
--          - returned with another error_code means that a call for several tasks failed, and
--            nobody knows through which of them. Each is noted as an attempt; the tokens reserved
--            for it count as used. For the breaker the call is one failure: one of its tasks has
--            the call's error_code, and the others have batch_failed, which does not count.
--          - A task that was cancelled meanwhile ends as cancelled instead of going back. Its
--            outcome still counts as an attempt, and still closes the model.
-- Locks:   in the order of 1_base/locks.sql: leases; lines, for tasks that go back to one; breakers
--          whose state changes, and rows of refusal. It tries the rows of models that it closes,
--          and waits 50 ms at most for the row of a task that is being cancelled.
create or replace function sluice.complete(
  worker bigint, outcomes sluice.outcome[], p_now timestamptz default null)
returns table (task_id bigint, fence int, applied boolean)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_places int[] := sluice.complete_leases(complete.worker, complete.outcomes, null,
    case when p_now is not null then sluice.now_for(p_now) end);
begin
  if cardinality(v_places) < cardinality(complete.outcomes) then
    return query select * from sluice.judge_late(complete.worker, complete.outcomes, v_places,
      sluice.now_for(p_now), null);
  else
    return query select o.task_id, o.fence, true from unnest(complete.outcomes) o;
  end if;
end
$$;

-- complete_with_usage: complete, with what is known of the calls' tokens besides their outcomes.
-- Params:  worker, outcomes: as complete; usages: one for each outcome, in their order; null, or a
--          null in it: nothing more is known.
-- Returns, errors: as complete.
--
-- Not columns of sluice.outcome, whose rows clients make by place.
create or replace function sluice.complete_with_usage(
  worker bigint, outcomes sluice.outcome[], usages sluice.usage[],
  p_now timestamptz default null)
returns table (task_id bigint, fence int, applied boolean)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_places int[] := sluice.complete_leases(complete_with_usage.worker,
    complete_with_usage.outcomes, complete_with_usage.usages,
    case when p_now is not null then sluice.now_for(p_now) end);
begin
  if cardinality(v_places) < cardinality(complete_with_usage.outcomes) then
    return query select * from sluice.judge_late(complete_with_usage.worker,
      complete_with_usage.outcomes, v_places, sluice.now_for(p_now),
      complete_with_usage.usages);
  else
    return query select o.task_id, o.fence, true from unnest(complete_with_usage.outcomes) o;
  end if;
end
$$;

-- complete_leases: what complete and complete_with_usage do. They judge what found no lease, and
-- return the rows, themselves: when this function returned rows a completion of one cost 17,000
-- instructions more, 1.4 %.
-- Returns: the places of the outcomes that hold.
create or replace function sluice.complete_leases(
  p_worker bigint, p_outcomes sluice.outcome[], p_usages sluice.usage[], p_now timestamptz)
returns int[]
language plpgsql volatile
as $$
declare
  v_places int[] := '{}';   -- of the outcomes that hold
  v_all_solved boolean;
  v_looks boolean;
  v_ids bigint[];           -- the outcomes' tasks, ascending; beside each its fence and its place
  v_fences int[];
  v_nths int[];
begin
  -- What follows counts places from 1: from 0 each task would get another's answer.
  if (array_lower(p_outcomes, 1), array_ndims(p_outcomes)) <> (1, 1)
    or (array_lower(p_usages, 1), array_ndims(p_usages)) <> (1, 1) then
    raise exception 'the arrays of outcomes and usages are %',
      concat_ws(' and ', array_dims(p_outcomes), array_dims(p_usages))
      using errcode = 'SL004', column = 'outcomes', hint = 'Each has one dimension, from 1.';
  end if;
  -- Nearly always all are solved, and none of this worker's tasks is being cancelled. (A
  -- cancellation that is not committed yet comes too late for these.)
  select coalesce(bool_and(o.is_solved), true)
      and not exists (select from sluice.cancellation c where c.worker = p_worker),
    bool_or(o.looks), array_agg(o.task_id), array_agg(o.fence), array_agg(o.place)
  into v_all_solved, v_looks, v_ids, v_fences, v_nths
  from (
    select coalesce(o.task_id, 0) as task_id, o.fence, o.ordinality::int as place,
      o.kind is not distinct from 'solved'
        and coalesce(o.error_code not in ('content_filter', 'refusal'), true) as is_solved,
      o.fence > 1 or o.response is not null and o.answer is not null as looks
    from unnest(p_outcomes) with ordinality o
    order by coalesce(o.task_id, 0), o.fence nulls first) o;
  -- If leases are missing, look a second time: while the first look waited for a lease's row, an
  -- extra call may have updated it, and the new version is too young for the first look's snapshot.
  -- (Without this the answer would count as late, and as its worker lives nobody would end the
  -- lease.) The second look goes by task and fence; end_solved matches one outcome of a task only.
  for v_look in 1 .. 2 loop
    exit when cardinality(v_places) >= cardinality(p_outcomes);
    if v_all_solved and v_look = 1 then
      v_places := v_places || sluice.end_solved(p_worker, p_outcomes, v_ids, v_fences, v_nths,
        v_looks, coalesce(p_now, clock_timestamp()), p_usages);
    else
      v_places := v_places || sluice.end_calls(p_worker, p_outcomes, p_now, p_usages);
    end if;
  end loop;
  return v_places;
end
$$;

-- end_solved: complete for outcomes that are all solved: from leases to results in one statement.
-- Params:  p_ids, p_fences, p_places: the outcomes' tasks, ascending, and beside each its fence and
--          its place in p_outcomes; p_looks: whether some outcomes need more than their leases
--          know, so that their tasks are read: when they were created, and whether they are
--          clients' verbatim requests, of which the reply beside the answer is kept. For
--          their creation no task with a lease of fence 1 need be read: it was ready from its
--          submit on, so the lease's ready_at says when that was. (What gives a row another
--          ready_at, put_back or the add_<l> of a line in the order of prefixes, gives it fence 1
--          as well, so that its lease has a higher one.)
-- Returns: the places of the outcomes that found their leases; null: none.
-- Other steps are called only for the few calls that concern them, v_heard (D-070 has their cost):
--   with reserved tokens                                          settle_reserved
--   of a model with failures, refusals or a breaker not closed    note_health
--   of a model with budgets; of one that routes compare           settle_budgets; note_speeds
--   now and then one                                              learn_from
create or replace function sluice.end_solved(
  p_worker bigint, p_outcomes sluice.outcome[], p_ids bigint[], p_fences int[], p_places int[],
  p_looks boolean, p_now timestamptz, p_usages sluice.usage[])
returns int[]
language plpgsql volatile
as $$
declare
  v_drawn int := case when random() < 0.125 then 1 + floor(random() * cardinality(p_outcomes)) end;
  v_created timestamptz[];
  v_verbatim boolean[];
  v_places int[];
  v_models int[];
  v_calls int[];
  v_opened int[];   -- models for whose calls somebody may sleep without a timer (notify_opened)
  v_compared boolean;
  v_heard sluice.ended_call[];
begin
  if p_looks then
    select array_agg(t.created_at order by o.ordinality),
      array_agg(t.is_verbatim order by o.ordinality) into v_created, v_verbatim
    from unnest(p_outcomes) with ordinality o
    left join lateral (
      select t.created_at, t.request is not null as is_verbatim from sluice.task t
      where t.id = o.task_id limit 1) t on true;
  end if;
  -- The leases are deleted, and so locked, in ascending order of id, for that is the order in which
  -- PostgreSQL scans an index for the elements of an array: see end_calls for why, and for "+ 0".
  -- Of two outcomes of one task the one with the greater fence counts. To look each lease up, lock
  -- it, and delete it by its place costs half as much again (D-350).
  with gone as (
    delete from sluice.lease l
    where l.task_id = any (p_ids) and l.fence = p_fences[width_bucket(l.task_id, p_ids)]
      and l.worker + 0 = p_worker
    returning l as lease, l.task_id, l.fence, l.model, l.calls, l.reserved_tokens, l.ready_at,
      l.started_at, l.attempts, p_places[width_bucket(l.task_id, p_ids)] as place),
  of_model as materialized (
    select m.id, m.name, m.is_priced, sluice.keeps_response(m) as keeps_response, g.calls,
      b.is_moving or m.max_in_flight is not null as opens,
      m.is_compared, b.is_moving or m.is_budgeted or m.is_compared
        or exists (select from sluice.refusal r where r.model = m.id and r.tasks <> '{}')
        or coalesce(sluice.counter('failures', m.id) > 0, false) as hears
    from (select model, sum(calls)::int as calls from gone group by model) g
    join sluice.models m on m.id = g.model
    cross join lateral (
      select exists (select from sluice.breaker b where b.model = m.id
        and b.state <> 'closed') as is_moving offset 0) b),
  stored as (
    insert into sluice.result (task_id, worker, created_at, queued_at, started_at, finished_at,
      fence, input_tokens, output_tokens, attempts, http_status, status, model, error_code, error,
      cost, answer, response, cached_tokens, cache_write_tokens, reasoning_tokens)
    select g.task_id, p_worker, coalesce(v_created[g.place], g.ready_at), g.ready_at, g.started_at,
      p_now, g.fence, o.input_tokens, o.output_tokens, g.attempts + 1,
      sluice.storable_status(o.http_status), 'solved', m.name, o.error_code, o.error,
      case when m.is_priced then sluice.cost_of(m.name, g.started_at, o.input_tokens,
          o.output_tokens, p_usages[g.place])
        when o.input_tokens is not null and o.output_tokens is not null then 0.000000 end,
      o.answer, case when m.keeps_response or v_verbatim[g.place]
        or o.answer is null then o.response end, (p_usages[g.place]).cached_tokens,
      (p_usages[g.place]).cache_write_tokens, (p_usages[g.place]).reasoning_tokens
    from gone g
    join of_model m on m.id = g.model
    -- offset 0: the outcome is found once, and each of its columns taken out once
    cross join lateral (
      select (x.o).* from (select p_outcomes[g.place] as o offset 0) x offset 0) o)
  select e.places, e.heard, m.ids, m.calls, m.opened, m.compared
  into v_places, v_heard, v_models, v_calls, v_opened, v_compared
  from (select array_agg(g.place) as places,
      array_agg(row(g.place, g.lease)::sluice.ended_call) filter (where g.reserved_tokens > 0
        or g.place = v_drawn
        or g.model = any (array(select m.id from of_model m where m.hears))) as heard
    from gone g) e,
    (select array_agg(m.id) as ids, array_agg(m.calls) as calls,
      array_agg(m.id) filter (where m.opens) as opened, bool_or(m.is_compared) as compared
    from of_model m) m;
  if v_heard is not null then
    perform sluice.learn_from(p_outcomes, array(select h from unnest(v_heard) h
      where h.place = v_drawn)),
      sluice.settle_reserved(p_outcomes, v_heard, p_now),
        sluice.note_health(p_outcomes, v_heard, p_now);
    if exists (select from sluice.budgets) then
      perform sluice.settle_budgets(p_outcomes, p_usages, v_places, 'held', p_now);
    end if;
    if v_compared then
      perform sluice.note_speeds(p_outcomes, v_heard, p_now);
    end if;
  end if;
  perform sluice.count_solved(cardinality(v_places), v_models, v_calls);
  if v_opened is not null then
    perform sluice.notify_opened(m) from unnest(v_opened) m;
  end if;
  return v_places;
end
$$;

-- count_solved: counts p_tasks solved tasks, and for each of p_models p_calls ended calls; all may
-- be null. Called last, because other sessions see the counts at once and no rollback undoes them.
-- It loops, because one statement that draws from sequences costs as much as six calls.
create or replace function sluice.count_solved(p_tasks int, p_models int[], p_calls int[])
returns void
language plpgsql volatile
as $$
declare
  v_drawn bigint;
begin
  for i in 1 .. coalesce(p_tasks, 0) / 16 loop
    v_drawn := nextval('sluice.results_solved_by_16');
  end loop;
  for i in 1 .. coalesce(p_tasks, 0) % 16 loop
    v_drawn := nextval('sluice.results_solved');
  end loop;
  for i in 1 .. coalesce(cardinality(p_models), 0) loop
    perform sluice.count_ended_calls(p_models[i], p_calls[i]);
  end loop;
end
$$;
