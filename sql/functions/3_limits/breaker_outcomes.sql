-- How the outcomes of calls change the breakers of their models, and their refusals.

-- note_health: updates breakers with the outcomes of calls, and parks models that refuse
-- (3_limits/closures_by_refusals.sql), in ascending order of model id, after all other locks that
-- wait. Nearly always all calls succeeded and their models had no failures before; then a single
-- look is enough.
create or replace function sluice.note_health(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_call record;
begin
  if not exists (select from unnest(p_outcomes) o where o.kind is distinct from 'solved')
     and not exists (select from sluice.breaker b where b.state <> 'closed')
     and not exists (select from sluice.refusal r where r.tasks <> '{}')
     and not exists (select from (select distinct (e.lease).model from unnest(p_ended) e) m
                     where sluice.counter('failures', m.model) > 0) then
    return;
  end if;
  for v_call in
    select l.model, array_agg(sluice.backend_lives(o.kind, o.http_status)
      order by o.place) as lives,
      array_agg(l.task_id order by o.place) as tasks, array_agg(l.fence order by o.place) as fences,
      (array_agg(coalesce('HTTP ' || o.http_status, o.error_code, 'no answer')
        order by o.place desc)
        filter (where not sluice.backend_lives(o.kind, o.http_status)))[1] as why,
      array_agg(distinct l.tenant) filter (where o.kind = 'solved') as served,
      array_agg(l.task_id order by o.place) filter (where o.is_refused) as refused,
      array_agg(l.tenant order by o.place) filter (where o.is_refused) as refused_tenants,
      (array_agg(o.error_code order by o.place desc) filter (where o.is_refused))[1]
        as refused_with,
      (array_agg(o.error order by o.place desc) filter (where o.is_refused))[1] as refused_why
    from unnest(p_ended) e
    cross join lateral (select (e.lease).model, (e.lease).task_id, (e.lease).fence,
      (e.lease).tenant) l
    -- a call for many tasks that failed is one failure: the others of it say batch_failed
    cross join lateral (
      select case when (x.o).kind = 'returned' and (x.o).error_code <> 'batch_failed' then 'retry'
        else (x.o).kind end as kind,
        (x.o).error_code, case when (x.o).error_code is distinct from 'batch_failed'
          then (x.o).http_status end as http_status,
        (x.o).error, (x.o).kind in ('throttled', 'returned')
          and sluice.is_refusal((x.o).error_code) as is_refused, e.place
      from (select p_outcomes[e.place] as o offset 0) x) o
    group by l.model order by l.model
  loop
    perform sluice.note_model_health(v_call.model, v_call.lives, v_call.tasks, v_call.fences,
      v_call.why, p_now);
    if v_call.served is not null then
      perform sluice.note_model_works(v_call.model, v_call.refused is not null, v_call.served,
        p_now);
    elsif v_call.refused is not null then
      perform sluice.note_model_refusals(v_call.model, v_call.refused, v_call.refused_tenants,
        v_call.refused_with, v_call.refused_why, p_now);
    end if;
  end loop;
end
$$;

-- note_model_health: note_health for one model. A closed breaker counts failures since the last
-- success; a half-open one considers its probe alone, because the other calls began before it
-- opened; an open one ignores all outcomes.
-- Params:  p_lives: what each call said about the backend (backend_lives), in the order in which
--          they ended; p_tasks, p_fences: which calls they were.
create or replace function sluice.note_model_health(
  p_model int, p_lives boolean[], p_tasks bigint[], p_fences int[], p_why text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_model sluice.models;
  v_breaker sluice.breaker;
  v_failures bigint := 0;
begin
  select * into v_model from sluice.models where id = p_model;
  select * into v_breaker from sluice.breaker where model = p_model;
  for i in 1 .. cardinality(p_lives) loop
    if v_breaker.state = 'half_open' then
      if (p_tasks[i], p_fences[i]) = (v_breaker.probe_task, v_breaker.probe_fence) then
        perform sluice.note_probe_ended(v_model, p_lives[i], p_why, p_now);
      end if;
    elsif p_lives[i] then
      v_failures := 0;
      perform sluice.set_counter('failures', p_model, 0);
    elsif not p_lives[i] then
      v_failures := nextval(('sluice.failures_' || p_model)::regclass);
    end if;
  end loop;
  if v_failures >= v_model.breaker_failures and v_breaker.state = 'closed' then
    perform sluice.move_breaker(p_model, 'closed', 'open',
      format('%s failures in a row, the last: %s', v_failures, p_why), p_now);
  end if;
end
$$;

-- note_probe_ended: applies the outcome of a half-open breaker's probe. p_lives as backend_lives
-- says: a 429 shows that the backend lives, and counts as a success; null (nothing was heard, as of
-- a call that was never sent) changes nothing.
create or replace function sluice.note_probe_ended(
  p_model sluice.models, p_lives boolean, p_why text, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_successes int;
begin
  if p_lives then
    update sluice.breaker set successes = successes + 1 where model = p_model.id
      and state = 'half_open'
    returning successes into v_successes;
    if v_successes >= p_model.breaker_successes then
      perform sluice.move_breaker(p_model.id, 'half_open', 'closed',
        'enough probes succeeded', p_now);
    end if;
  elsif not p_lives then
    perform sluice.move_breaker(p_model.id, 'half_open', 'open',
      'the probe failed: ' || p_why, p_now);
  end if;
end
$$;
