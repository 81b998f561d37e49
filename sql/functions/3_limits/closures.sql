-- What closes a model, and who hears why: its secret, its bill, a limit, refusals of several tasks
-- in a row.

-- keeps_response: whether the backend's verbatim reply is stored beside the answer. Of api solve
-- the answer is the reply.
create or replace function sluice.keeps_response(p_model sluice.models) returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_model.keep_response, p_model.api <> 'solve') $$;

-- parked_for: why a model is parked, by its closed_reason: credential, billing, refused, or by
-- hand. For log and history, where what somebody wrote there has no place.
create or replace function sluice.parked_for(p_reason text) returns text
language sql immutable parallel safe
as $$ select coalesce(substring(p_reason from '^(credential|billing|refused): '), 'by hand') $$;

-- was_parked_by_calls: whether p_model is parked for what a backend answered, not by somebody who
-- said so.
create or replace function sluice.was_parked_by_calls(p_model sluice.models) returns boolean
language sql immutable
as $$ select coalesce(p_model.closed_until = 'infinity', false)
  and sluice.parked_for(p_model.closed_reason) <> 'by hand' $$;

-- closure_reason: why a call closed its model, as everybody may read it. Made of words and figures
-- of ours: whatever a backend says, its error's code included, may quote another tenant's prompt,
-- and a worker's text names a secret.
-- Params:  p_cause: credential, billing, refused or throttled; p_http_status: null: nothing was
--          sent.
create or replace function sluice.closure_reason(p_cause text, p_http_status int) returns text
language sql immutable parallel safe
as $$
  select p_cause || coalesce(': HTTP ' || p_http_status,
    case p_cause when 'credential' then ': its secret cannot be read' else '' end)
$$;

-- close_until: writes a model's closing time, if that moves it by a second or more: a storm of
-- throttled calls must not update the row that every submit reads.
-- Params:  p_reason: shown to everybody; p_detail: to administrators in its place (null: the reason
--          to them, too).
create or replace function sluice.close_until(
  p_model text, p_until timestamptz, p_reason text, p_detail text)
returns void
language sql volatile
as $$
  update sluice.models set closed_until = p_until, closed_reason = left(p_reason, 500),
    closed_detail = left(p_detail, 500)
  where name = p_model
    and case when closed_until is null or p_until is null or not isfinite(closed_until)
      or not isfinite(p_until)
        then closed_until is distinct from p_until
        else abs(extract(epoch from p_until - closed_until)) >= 1
          -- Opening and closing are never small, however short the closure.
          or (closed_until <= clock_timestamp()) <> (p_until <= clock_timestamp()) end
$$;

-- Calls that failed through no proven fault of their tasks. The tasks are spared: they wait,
--   uncharged, and try again. not_sent nothing was sent (no address, no connection, no TLS): until
--   settings.unsent_timeout http_403, http_404, http_405 the model's key or address may be wrong,
--   or this one request: three times
-- Refusals of several tasks in a row park the model instead: that is no task's fault.

-- is_refusal: whether an error code says that the model's key or address may be wrong, or the
-- task's request.
create or replace function sluice.is_refusal(p_error_code text) returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_error_code in ('http_403', 'http_404', 'http_405'), false) $$;

-- is_spared: whether an outcome, by its kind and error code, leaves its task uncharged and lets it
-- wait.
create or replace function sluice.is_spared(p_kind text, p_error_code text) returns boolean
language sql immutable parallel safe
as $$
  select coalesce(p_kind = 'returned' and p_error_code = 'not_sent'
    or p_kind = 'throttled' and sluice.is_refusal(p_error_code), false)
$$;

-- spared_calls: the calls of a task that were spared for the same reason since it was last charged
-- or redriven.
-- Returns: how many, and when the first of them ended (null: none). All attempts of the task are
--          read; spared_share_min bounds them.
create or replace function sluice.spared_calls(
  p_task bigint, p_error_code text, out calls int, out since timestamptz)
language plpgsql stable
as $$
begin
  select count(*), min(a.ended_at) into calls, since from sluice.attempt a
  where a.task_id = p_task and a.kind = 'returned' and a.error_code = p_error_code
    and a.id > coalesce((select max(c.id) from sluice.attempt c
                         where c.task_id = p_task
                           and c.kind in ('retry', 'failed', 'lost', 'redriven')), 0);
end
$$;

-- spared_share_min: a task that could not be sent waits at least this share of the time that it has
-- been spared, however short its model's backoff. So its calls grow with the logarithm of that
-- time: 100 * ln(3600), some 800 from the first second to the first hour.
create or replace function sluice.spared_share_min() returns double precision
language sql immutable parallel safe
as $$ select 0.01::double precision $$;

-- give_up: the outcomes of calls, those failed whose tasks have been spared for long enough.
create or replace function sluice.give_up(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz)
returns sluice.outcome[]
language plpgsql volatile
as $$
declare
  -- so many refusals are proof that a task itself is refused: it fails with the last
  c_refusals_max constant int := 3;
  v_timeout interval := (select unsent_timeout from sluice.settings);
  v_call record;
begin
  for v_call in
    select e.place, s.calls, s.since from unnest(p_ended) e
    cross join lateral sluice.spared_calls((e.lease).task_id, p_outcomes[e.place].error_code) s
    where sluice.is_spared(p_outcomes[e.place].kind, p_outcomes[e.place].error_code)
  loop
    if p_outcomes[v_call.place].kind = 'returned' and v_call.since <= p_now - v_timeout then
      p_outcomes[v_call.place].kind := 'failed';
      p_outcomes[v_call.place].error :=
        format('nothing could be sent for %s (settings.unsent_timeout): %s', v_timeout,
        coalesce(p_outcomes[v_call.place].error, 'no reason was told'));
    elsif p_outcomes[v_call.place].kind = 'throttled' and v_call.calls + 1 >= c_refusals_max then
      p_outcomes[v_call.place].kind := 'failed';
    end if;
  end loop;
  return p_outcomes;
end
$$;

-- note_model_works: a call of a model has succeeded: what refused tasks before, or together with it
-- (p_has_refused), are their own.
create or replace function sluice.note_model_works(
  p_model int, p_has_refused boolean, p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.refusal (model, tasks, worked_at) select p_model, '{}', p_now
  where p_has_refused on conflict (model) do nothing;
  update sluice.refusal set tasks = '{}', worked_at = p_now where model = p_model
    and (tasks <> '{}' or p_has_refused);
end
$$;

-- note_model_refusals: counts the tasks whose calls were refused since their model's last success,
-- and parks the model when they are several: sluice.models.closed_reason then begins with "refused:
-- ". A task that had been refused before that success is itself to blame. Outcomes that come
-- together count as together: a success among them is the model's. A call for many tasks counts as
-- one, for the first of them.
-- Params:  p_tasks: were refused, the last of them with p_error_code and p_error.
-- Locks:   the row of refusal, after its model's breaker; tries the model's row, as throttle does.
create or replace function sluice.note_model_refusals(
  p_model int, p_tasks bigint[], p_error_code text, p_error text)
returns void
language plpgsql volatile
as $$
declare
  v_status int := right(p_error_code, 3);
  -- so many different tasks: a 403 is seldom one request's, a 404 may be
  v_bound int := case v_status when 403 then 2 else 5 end;
  v_refusal sluice.refusal;
  v_name text;
begin
  if (select closed_until from sluice.models where id = p_model) = 'infinity' then
    return;
  end if;
  insert into sluice.refusal as r (model, http_status, tasks) values (p_model, v_status, '{}')
  on conflict (model) do update set http_status = v_status,
    tasks = case when r.http_status = v_status then r.tasks else '{}' end
  returning * into v_refusal;
  v_refusal.tasks := array(
    select t from unnest(v_refusal.tasks) t
    union select t from unnest(p_tasks) t
    where (sluice.spared_calls(t, p_error_code)).since > coalesce(v_refusal.worked_at, '-infinity')
    limit v_bound);
  if cardinality(v_refusal.tasks) >= v_bound then
    select name into v_name from sluice.models where id = p_model for no key update skip locked;
    if found then
      perform sluice.close_until(v_name, 'infinity', sluice.closure_reason('refused', v_status),
        'refused: ' || coalesce(p_error, p_error_code));
      v_refusal.tasks := '{}';
    end if;
  end if;
  update sluice.refusal set tasks = v_refusal.tasks where model = p_model;
end
$$;
