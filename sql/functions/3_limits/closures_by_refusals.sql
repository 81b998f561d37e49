-- Calls may fail through no proven fault of their tasks. Such tasks are spared: they wait,
-- uncharged, and are called again:
--   not_sent: nothing was sent (no address, no connection, no TLS); until settings.unsent_timeout
--   http_403, http_404, http_405: the model's key or address may be wrong, or only this request;
--   three times
--   throttled: by a 429 again and again (postpone, 5_lifecycle/requeue.sql); as long as it takes
-- Refusals of several tasks in a row park the model, because then no task is to blame. But where
-- tenants share a model, one tenant's requests must not close it to the others: as long as another
-- tenant was served recently, or waits, that tenant's answer decides (may_be_tenants_fault).

-- is_refusal: whether an error code says that the model's key or address may be wrong, or the
-- task's request.
create or replace function sluice.is_refusal(p_error_code text) returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_error_code in ('http_403', 'http_404', 'http_405'), false) $$;

-- is_spared: whether an outcome of this kind and error code leaves its task uncharged and waiting.
create or replace function sluice.is_spared(p_kind text, p_error_code text) returns boolean
language sql immutable parallel safe
as $$
  select coalesce(p_kind = 'returned' and p_error_code in ('not_sent', 'throttled')
    or p_kind = 'throttled' and sluice.is_refusal(p_error_code), false)
$$;

-- spared_calls: the calls of a task that were spared for the same reason since the task was last
-- charged or redriven, and after p_after (null: at any time).
-- Returns: how many, and when the first of them ended (null: none). All attempts of the task are
--          read; retry_later bounds their number.
create or replace function sluice.spared_calls(
  p_task bigint, p_error_code text, p_after timestamptz,
  out calls int, out since timestamptz)
language plpgsql stable
as $$
begin
  select count(*), min(a.ended_at) into calls, since from sluice.attempt a
  where a.task_id = p_task and a.kind = 'returned' and a.error_code = p_error_code
    and (p_after is null or a.ended_at > p_after)
    and a.id > coalesce((select max(c.id) from sluice.attempt c
                         where c.task_id = p_task
                           and c.kind in ('retry', 'failed', 'lost', 'redriven',
                             'rerouted')), 0);
end
$$;

-- give_up: p_outcomes, with kind failed for tasks that have been spared for long enough.
create or replace function sluice.give_up(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz)
returns sluice.outcome[]
language plpgsql volatile
as $$
declare
  -- So many refusals since the model last changed or was opened prove that a task itself is
  -- refused: it fails with the last. Not while other tasks' refusals point to the model.
  c_refusals_max constant int := 3;
  v_timeout interval := (select unsent_timeout from sluice.settings);
  v_call record;
begin
  for v_call in
    select e.place, s.calls, s.since, m.closed_until = 'infinity' or exists (
        select from sluice.refusal r where r.model = m.id
          and cardinality(r.tasks) >= sluice.refused_tasks_max(r.http_status)) as in_doubt
    from unnest(p_ended) e
    join sluice.models m on m.id = (e.lease).model
    cross join lateral sluice.spared_calls((e.lease).task_id, p_outcomes[e.place].error_code,
      case when p_outcomes[e.place].kind = 'throttled' then m.calls_changed_at end) s
    where sluice.is_spared(p_outcomes[e.place].kind, p_outcomes[e.place].error_code)
  loop
    if p_outcomes[v_call.place].kind = 'returned' and v_call.since <= p_now - v_timeout then
      p_outcomes[v_call.place].kind := 'failed';
      p_outcomes[v_call.place].error :=
        format('nothing could be sent for %s (settings.unsent_timeout): %s', v_timeout,
        coalesce(p_outcomes[v_call.place].error, 'no reason was told'));
    elsif p_outcomes[v_call.place].kind = 'throttled' and v_call.calls + 1 >= c_refusals_max
      and (v_call.in_doubt is not true or v_call.since <= p_now - v_timeout) then
      p_outcomes[v_call.place].kind := 'failed';
    end if;
  end loop;
  return p_outcomes;
end
$$;

-- note_model_works: after calls of a model succeeded: earlier refusals, or refusals that came
-- together with these calls (p_has_refused), were the fault of their tasks. The tenant that was
-- served is the model's witness: during witness_interval, refusals of other tenants do not park the
-- model.
-- Params:  p_tenants: the tenants that were served. An earlier witness stays during its interval,
--          so that no tenant can replace it just before it is refused itself.
create or replace function sluice.note_model_works(
  p_model int, p_has_refused boolean, p_tenants text[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.refusal (model, tasks, worked_at) select p_model, '{}', p_now
  where p_has_refused on conflict (model) do nothing;
  update sluice.refusal r
  set tasks = '{}', tenants = '{}', worked_at = p_now, witness = w.name,
    witnessed_at = case when w.name = any (p_tenants) then p_now else r.witnessed_at end
  from sluice.refusal o
  cross join lateral (select coalesce(
    case when o.witness = any (p_tenants)
      or p_now - o.witnessed_at between interval '0' and sluice.witness_interval()
      then o.witness end,
    (select t from unnest(p_tenants) t order by t = any (o.tenants) limit 1)) as name) w
  where r.model = p_model and o.model = p_model
    and (r.tasks <> '{}' or r.tenants <> '{}' or p_has_refused);
end
$$;

-- witness_interval: for how long a success counts. Tasks that are refused meanwhile wait for
-- settings.unsent_timeout, an hour, so none of them fails before the interval is over.
create or replace function sluice.witness_interval() returns interval
language sql immutable parallel safe
as $$ select interval '30 minutes' $$;

-- refusing_tenants_max: refusals of so many tenants in a row park the model whatever other tenants
-- get.
create or replace function sluice.refusing_tenants_max() returns int
language sql immutable parallel safe
as $$ select 3 $$;

-- refused_tasks_max: refusals of so many different tasks in a row park a model. A 403 is seldom one
-- request's fault; a 404 may be.
create or replace function sluice.refused_tasks_max(p_http_status int) returns int
language sql immutable parallel safe
as $$ select case p_http_status when 403 then 2 else 5 end $$;

-- others_wait: whether a task of a tenant not in p_tenants waits for model p_model, or its call is
-- under way. Looks at 256 lanes of each line, more than one tenant has.
create or replace function sluice.others_wait(p_model sluice.models, p_tenants text[])
returns boolean
language plpgsql volatile
as $$
begin
  return exists (select from sluice.lease l
      where l.model = p_model.id and l.tenant <> all (p_tenants))
    or exists (select from unnest(sluice.lines_for(p_model)) line
      cross join lateral unnest(sluice.lane_heads(line, 256)) h
      where h.tenant <> all (array(select sluice.tenant_key(t) from unnest(p_tenants) t)));
end
$$;

-- may_be_tenants_fault: whether the refusals p_refusal may be the fault of the tenants whose tasks
-- were refused: another tenant was served recently, since the model's last change, or has yet to be
-- called.
create or replace function sluice.may_be_tenants_fault(
  p_model sluice.models, p_refusal sluice.refusal, p_now timestamptz)
returns boolean
language plpgsql volatile
as $$
begin
  return cardinality(p_refusal.tenants) < sluice.refusing_tenants_max()
    and (p_refusal.witness <> all (p_refusal.tenants)
        and p_now - p_refusal.witnessed_at between interval '0' and sluice.witness_interval()
        and coalesce(p_refusal.witnessed_at > p_model.calls_changed_at, true)
      or sluice.others_wait(p_model, p_refusal.tenants)) is true;
end
$$;

-- note_model_refusals: counts the tasks whose calls were refused since their model's last success.
-- If there are several, and it may not be their tenants' fault, it parks the model:
-- sluice.models.closed_reason then begins with "refused: ". A task that had been refused before
-- that success is itself to blame. Outcomes stored together count as simultaneous, and a success
-- among them as the model's. A call for many tasks counts as one, for the first of them.
-- Params:  p_tasks: the refused tasks, the last of them with p_error_code and p_error; p_tenants:
--          their tenants.
-- Locks:   the row of refusal, after its model's breaker; tries the model's row, as throttle does.
create or replace function sluice.note_model_refusals(
  p_model int, p_tasks bigint[], p_tenants text[], p_error_code text, p_error text,
  p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_status int := right(p_error_code, 3);
  v_bound int := sluice.refused_tasks_max(v_status);
  v_refusal sluice.refusal;
  v_model sluice.models;
begin
  if (select closed_until from sluice.models where id = p_model) = 'infinity' then
    return;
  end if;
  insert into sluice.refusal as r (model, http_status, tasks) values (p_model, v_status, '{}')
  on conflict (model) do update set http_status = v_status,
    tasks = case when r.http_status = v_status then r.tasks else '{}' end
  returning * into v_refusal;
  with refused as (
    select u.task, u.tenant from unnest(p_tasks, p_tenants) u(task, tenant)
    where (sluice.spared_calls(u.task, p_error_code, null)).since
      > coalesce(v_refusal.worked_at, '-infinity'))
  select array(select t from unnest(v_refusal.tasks) t union select task from refused
      limit v_bound),
    array(select t from unnest(v_refusal.tenants) t union select tenant from refused
      limit sluice.refusing_tenants_max())
  into v_refusal.tasks, v_refusal.tenants;
  if cardinality(v_refusal.tasks) >= v_bound then
    select * into v_model from sluice.models where id = p_model for no key update skip locked;
    if found and not sluice.may_be_tenants_fault(v_model, v_refusal, p_now) then
      perform sluice.close_until(v_model.name, 'infinity',
        sluice.closure_reason('refused', v_status),
        'refused: ' || coalesce(p_error, p_error_code));
      v_refusal.tasks := '{}';
    end if;
  end if;
  update sluice.refusal r set tasks = v_refusal.tasks, tenants = v_refusal.tenants,
    witness = nullif(r.witness, (select t from unnest(p_tenants) t where t = r.witness limit 1))
  where r.model = p_model;
end
$$;

-- reopen_refused: opens models that refusals of a few tenants have parked and for which another
-- tenant's task waits. Its call goes first, alone. If that is refused too, the model is parked for
-- both. Called by recover.
-- Locks:   tries the models' rows.
create or replace function sluice.reopen_refused() returns void
language plpgsql volatile
as $$
begin
  perform sluice.close_until((v.m).name, null, null, null)
  from (
    select m, r.tenants from sluice.refusal r join sluice.models m on m.id = r.model
    where r.tenants <> '{}' and cardinality(r.tenants) < sluice.refusing_tenants_max()
      and sluice.was_parked_by_calls(m) and sluice.parked_for(m.closed_reason) = 'refused'
    order by m.id for no key update of m skip locked) v
  where sluice.others_wait(v.m, v.tenants);
end
$$;
