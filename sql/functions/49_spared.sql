-- Calls that failed through no proven fault of their tasks. The tasks are spared: they wait, uncharged, and try again.
--   not_sent                        nothing was sent (no address, no connection, no TLS): until settings.unsent_timeout
--   http_403, http_404, http_405    the model's key or address may be wrong, or this one request: refusals_max() times
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

-- refusals_max: how many such answers are proof that a task itself is refused: it fails with the last.
create or replace function sluice.refusals_max() returns int
language sql immutable parallel safe
as $$ select 3 $$;

-- refusals_to_park: how many different tasks must hear p_http_status in a row until their model is parked. A 403 is seldom
-- one request's; 404 may be (a file that a request names).
create or replace function sluice.refusals_to_park(p_http_status int) returns int
language sql immutable parallel safe
as $$ select case p_http_status when 403 then 2 else 5 end $$;

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
    elsif p_outcomes[v_call.place].kind = 'throttled' and v_call.calls + 1 >= sluice.refusals_max() then
      p_outcomes[v_call.place].kind := 'failed';
    end if;
  end loop;
  return p_outcomes;
end
$$;

-- note_refusals: counts the tasks whose calls were refused since their model's last success, and parks the model when they
-- are several: sluice.models.closed_reason then begins with "refused: ". A task that had been refused before that success
-- is itself to blame. Outcomes that come together count as together: a success among them is the model's.
-- A call for many tasks counts as one, for the first of them.
-- Locks:   rows of refusal ascending by model, after all breakers; tries the model's row, as throttle does.
create or replace function sluice.note_refusals(p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_told record;
begin
  for v_told in
    select c.model, bool_or(c.has_solved) as has_solved, array_agg(c.task) filter (where c.is_refused) as tasks,
      (array_agg(c.error_code order by c.place desc) filter (where c.is_refused))[1] as error_code,
      (array_agg(c.error order by c.place desc) filter (where c.is_refused))[1] as error
    from (
      select (e.lease).model, (e.lease).task_id as task, e.place, o.error_code, o.error, o.kind = 'solved' as has_solved,
        o.kind in ('throttled', 'returned') and sluice.is_refusal(o.error_code) as is_refused
      from unnest(p_ended) e cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o) c
    join sluice.models m on m.id = c.model and m.closed_until is distinct from 'infinity'
    group by c.model order by c.model
  loop
    if v_told.has_solved then
      insert into sluice.refusal as r (model, tasks, worked_at) select v_told.model, '{}', p_now where v_told.tasks is not null
      on conflict (model) do nothing;
      update sluice.refusal r set tasks = '{}', worked_at = p_now
      where r.model = v_told.model and (r.tasks <> '{}' or v_told.tasks is not null);
    elsif v_told.tasks is not null then
      perform sluice.note_model_refusals(v_told.model, v_told.tasks, v_told.error_code, v_told.error);
    end if;
  end loop;
end
$$;

-- note_model_refusals: the same for one model without a success: p_tasks were refused, the last of them with p_error_code.
create or replace function sluice.note_model_refusals(p_model int, p_tasks bigint[], p_error_code text, p_error text)
returns void
language plpgsql volatile
as $$
declare
  v_status int := right(p_error_code, 3);
  v_bound int := sluice.refusals_to_park(v_status);
  v_refusal sluice.refusal;
  v_name text;
begin
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
