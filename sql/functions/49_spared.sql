-- Calls that failed through no proven fault of their tasks. The tasks are spared: they wait, uncharged, and try again.
--   not_sent                        nothing was sent (no address, no connection, no TLS): until settings.unsent_timeout
--   http_403, http_404, http_405    the model's key or address may be wrong, or this one request: three times
-- Refusals of several tasks in a row park the model instead: that is no task's fault.

-- is_refusal: whether an error code says that the model's key or address may be wrong, or the task's request.
create or replace function sluice.is_refusal(p_error_code text) returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_error_code in ('http_403', 'http_404', 'http_405'), false) $$;

-- is_spared: whether an outcome, by its kind and error code, leaves its task uncharged and lets it wait.
create or replace function sluice.is_spared(p_kind text, p_error_code text) returns boolean
language sql immutable parallel safe
as $$
  select coalesce(p_kind = 'returned' and p_error_code = 'not_sent'
    or p_kind = 'throttled' and sluice.is_refusal(p_error_code), false)
$$;

-- spared_calls: the calls of a task that were spared for the same reason since it was last charged or redriven.
-- Returns: how many, and when the first of them ended (null: none). All attempts of the task are read; spared_share_min bounds them.
create or replace function sluice.spared_calls(p_task bigint, p_error_code text, out calls int, out since timestamptz)
language plpgsql stable
as $$
begin
  select count(*), min(a.ended_at) into calls, since from sluice.attempt a
  where a.task_id = p_task and a.kind = 'returned' and a.error_code = p_error_code
    and a.id > coalesce((select max(c.id) from sluice.attempt c
                         where c.task_id = p_task and c.kind in ('retry', 'failed', 'lost', 'redriven')), 0);
end
$$;

-- spared_share_min: a task that could not be sent waits at least this share of the time that it has been spared, however short its
-- model's backoff. So its calls grow with the logarithm of that time: 100 * ln(3600), some 800 from the first second to the first hour.
create or replace function sluice.spared_share_min() returns double precision
language sql immutable parallel safe
as $$ select 0.01::double precision $$;

-- give_up: the outcomes of calls, those failed whose tasks have been spared for long enough.
create or replace function sluice.give_up(p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz)
returns sluice.outcome[]
language plpgsql volatile
as $$
declare
  c_refusals_max constant int := 3;  -- so many refusals are proof that a task itself is refused: it fails with the last
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
      p_outcomes[v_call.place].error := format('nothing could be sent for %s (settings.unsent_timeout): %s', v_timeout,
        coalesce(p_outcomes[v_call.place].error, 'no reason was told'));
    elsif p_outcomes[v_call.place].kind = 'throttled' and v_call.calls + 1 >= c_refusals_max then
      p_outcomes[v_call.place].kind := 'failed';
    end if;
  end loop;
  return p_outcomes;
end
$$;

-- note_model_works: a call of a model has succeeded: what refused tasks before, or together with it (p_has_refused), are their own.
create or replace function sluice.note_model_works(p_model int, p_has_refused boolean, p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  insert into sluice.refusal (model, tasks, worked_at) select p_model, '{}', p_now where p_has_refused on conflict (model) do nothing;
  update sluice.refusal set tasks = '{}', worked_at = p_now where model = p_model and (tasks <> '{}' or p_has_refused);
end
$$;

-- note_model_refusals: counts the tasks whose calls were refused since their model's last success, and parks the model when they
-- are several: sluice.models.closed_reason then begins with "refused: ". A task that had been refused before that success
-- is itself to blame. Outcomes that come together count as together: a success among them is the model's.
-- A call for many tasks counts as one, for the first of them.
-- Params:  p_tasks: were refused, the last of them with p_error_code and p_error.
-- Locks:   the row of refusal, after its model's breaker; tries the model's row, as throttle does.
create or replace function sluice.note_model_refusals(p_model int, p_tasks bigint[], p_error_code text, p_error text)
returns void
language plpgsql volatile
as $$
declare
  v_status int := right(p_error_code, 3);
  v_bound int := case v_status when 403 then 2 else 5 end;  -- so many different tasks: a 403 is seldom one request's, a 404 may be
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
