-- explain: why a task is where it is, in one sentence, from what can be read now and without
-- guesses. One function for each place, and one for each family of reasons. No prompt, no answer.

-- explain: why a task is where it is, in one sentence.
-- Params:  id: of the task.
-- Returns: for example "queued for gpt-x: 311 ahead, next permit 14:32:10 (rpm 600), expected start
--          14:32:41". Times are in the session's time zone, with the date if it is not today's.
-- Errors:  SL006 no such task among the caller's tenants'.
create or replace function sluice.explain(id bigint, p_now timestamptz default null) returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_task sluice.task;
  v_place record;
  v_sentence text;
  v_choice text;
begin
  -- A task that moves between the look at its place and the look at its row is looked for again.
  for v_try in 1 .. 100 loop
    select * into v_task from sluice.task t where t.id = explain.id;
    perform sluice.require_task(explain.id, v_task.tenant);
    v_task.prompt := null;  -- or whoever gets the row would read all of it
    v_task.request := null;
    v_place := sluice.find_place(v_task.id, v_task.model, v_task.route);
    v_sentence := case v_place.status
      when 'unsolved' then sluice.explain_later(v_task, v_now)
      when 'queued' then sluice.explain_queued(v_task, v_place.line, v_now)
      when 'processing' then sluice.explain_lease(v_task, v_now)
      else sluice.explain_result(v_task.id, v_now) end;
    if v_place.status in ('queued', 'processing') then
      v_choice := sluice.choice_text(v_task.route, v_now);
      v_sentence := v_sentence || v_choice || case
        when v_choice ^@ '; by cost' and v_task.deadline is not null
        then '; but one with a deadline goes to the cheapest that keeps it, or the fastest'
        else '' end;
    end if;
    exit when v_sentence is not null;
  end loop;
  return coalesce(v_sentence || sluice.fallbacks_text(v_task.id),
    'moving from one place to another');
end
$$;

-- explain_later: for a task in later; null if it is not there.
create or replace function sluice.explain_later(p_task sluice.task, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v_row sluice.later := (select l from sluice.later l where l.task_id = p_task.id);
  v_name text := coalesce(p_task.route, (select name from sluice.models where id = p_task.model));
  v_when text := case when v_row.ready_at > p_now
    then 'until ' || sluice.clock_text(v_row.ready_at, p_now)
                      else 'to be queued: its time has come' end;
  v_last sluice.attempt := (select a from sluice.attempt a
    where a.task_id = p_task.id and a.kind in ('retry', 'returned') order by a.id desc limit 1);
  v_over text := (select w.reason from sluice.budget_wait w
    where w.task_id = p_task.id and w.until = v_row.ready_at and w.until > p_now);
begin
  if v_row.task_id is null then
    return null;
  end if;
  return case
    when v_over is not null then format('waits for %s: %s', v_name, v_over)
    when v_row.ready_at = p_task.run_at then format('waits %s (run_at) for %s', v_when, v_name)
    when v_last.kind = 'returned' then
      format('waits %s to try again on %s, uncharged: %s', v_when, v_name,
        sluice.error_line(v_last.error))
    when v_last.kind = 'retry' then
      format('waits %s to retry on %s: attempt %s of %s is next, the last one failed with %s',
        v_when, v_name, v_row.attempts + 1, sluice.attempts_text(p_task),
        coalesce(v_last.error_code, v_last.http_status::text, 'no code'))
    else format('waits %s for %s', v_when, v_name) end
    || coalesce('; ' || sluice.closed_then_text(p_task, v_row.ready_at, p_now), '')
      || sluice.deadline_text(v_row.deadline, p_now);
end
$$;

-- explain_lease: for a task that a worker has; null if none has it.
create or replace function sluice.explain_lease(p_task sluice.task, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v sluice.lease := (select l from sluice.lease l where l.task_id = p_task.id);
  v_worker sluice.worker := (select w from sluice.worker w where w.id = v.worker);
  v_attempt text := format('attempt %s of %s on %s', v.attempts + 1,
    sluice.attempts_max(p_task.id, v.model),
                           (select name from sluice.models where id = v.model)
                             || coalesce(' of route ' || p_task.route, ''));
  v_cancelled timestamptz := (select c.at from sluice.cancellation c where c.task_id = v.task_id
    and c.fence = v.fence);
begin
  if v.task_id is null then
    return null;
  elsif v_worker.dead_at is null
    and v_worker.seen >= p_now - (select heartbeat_timeout from sluice.settings) then
    return format('processing by worker %s since %s (%s)', v_worker.name,
      sluice.clock_text(v.started_at, p_now),
                  v_attempt) || coalesce(', to be aborted: cancelled at '
                    || sluice.clock_text(v_cancelled, p_now), '');
  end if;
  return format('held by worker %s, which stopped proving life%s: it will be taken back (%s)',
    coalesce(v_worker.name, v.worker::text),
      coalesce(' at ' || sluice.clock_text(v_worker.seen, p_now), ''),
    v_attempt);
end
$$;

-- explain_result: for a task that has ended; null if it has not.
create or replace function sluice.explain_result(p_task bigint, p_now timestamptz) returns text
language plpgsql volatile
as $$
declare
  v record;
  v_on text;
  v_after text;
begin
  select r.status, r.model, r.finished_at, r.attempts, r.error_code, r.error into v
  from sluice.result r where r.task_id = p_task;
  v_on := coalesce(' on ' || v.model, '') || ' at ' || sluice.clock_text(v.finished_at, p_now);
  v_after := format('%s attempt%s', v.attempts, case when v.attempts <> 1 then 's' end);
  return case v.status
    when 'solved' then format('solved%s after %s', v_on, v_after)
    when 'failed'
      then format('failed%s after %s: %s; redrive with sluice redrive %s', v_on,
      v_after, concat_ws(', ', v.error_code, sluice.error_line(v.error)), p_task)
    when 'cancelled' then format('cancelled%s', v_on)
    when 'expired'
      then format('expired%s: its deadline passed before a worker could start it', v_on) end;
end
$$;
