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
-- Returns: how many, and when the first of them ended (null: none).
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
-- are several: sluice.models.closed_reason then begins with "refused: ". A parked model's count stays as it is.
-- A call for many tasks counts as one, for the first of them.
-- Locks:   rows of refusal ascending by model, after all breakers; tries the model's row, as throttle does.
create or replace function sluice.note_refusals(p_outcomes sluice.outcome[], p_ended sluice.ended_call[]) returns void
language plpgsql volatile
as $$
declare
  v_told record;
begin
  if not exists (select from sluice.refusal)
     and not exists (select from unnest(p_outcomes) o where sluice.is_refusal(o.error_code)) then
    return;
  end if;
  for v_told in
    with call as materialized (
      select (e.lease).model, (e.lease).task_id as task, e.place, o.error, o.kind = 'solved' as is_solved,
        case when o.kind in ('throttled', 'returned') and sluice.is_refusal(o.error_code) then o.http_status end as refusal
      from unnest(p_ended) e cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o),
    last as (select distinct on (c.model) c.model, c.refusal, c.error from call c
             where c.refusal is not null order by c.model, c.place desc),
    broken as (select c.model, max(c.place) as place from call c left join last l on l.model = c.model
               where c.is_solved or c.refusal <> l.refusal group by c.model)
    select m.id as model, b.place is not null as is_broken, l.refusal, l.error,
      array(select c.task from call c where c.model = m.id and c.refusal is not null and c.place > coalesce(b.place, 0)) as tasks
    from sluice.models m left join last l on l.model = m.id left join broken b on b.model = m.id
    where m.id in (select c.model from call c) and m.closed_until is distinct from 'infinity'
    order by m.id
  loop
    if v_told.is_broken then
      delete from sluice.refusal where model = v_told.model;
    end if;
    if v_told.tasks <> '{}' then
      perform sluice.note_model_refusals(v_told.model, v_told.tasks, v_told.refusal, v_told.error);
    end if;
  end loop;
end
$$;

-- note_model_refusals: the same for one model: p_tasks heard p_http_status, the last of them p_error.
create or replace function sluice.note_model_refusals(p_model int, p_tasks bigint[], p_http_status int, p_error text)
returns void
language plpgsql volatile
as $$
declare
  v_bound int := sluice.refusals_to_park(p_http_status);
  v_tasks bigint[];
  v_name text;
begin
  insert into sluice.refusal as r (model, http_status, tasks) values (p_model, p_http_status, '{}')
  on conflict (model) do update set http_status = excluded.http_status,
    tasks = case when r.http_status = excluded.http_status then r.tasks else '{}' end
  returning r.tasks into v_tasks;
  v_tasks := array(select distinct t from unnest(v_tasks || p_tasks) t limit v_bound);
  update sluice.refusal set tasks = v_tasks where model = p_model;
  if cardinality(v_tasks) < v_bound then
    return;
  end if;
  select name into v_name from sluice.models where id = p_model for no key update skip locked;
  if found then
    perform sluice.close_until(v_name, 'infinity', 'refused: ' || coalesce(p_error, 'HTTP ' || p_http_status));
    delete from sluice.refusal where model = p_model;
  end if;
end
$$;
