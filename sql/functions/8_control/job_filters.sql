-- Which tasks a job is about, and who sees which job.

-- job_filter: the filter of a job as the functions of pages take it. Whose tasks are meant follows
-- from the caller who started it, not from the worker that makes a step.
create or replace function sluice.job_filter(p_job sluice.job) returns sluice.task_filter
language plpgsql stable
as $$
declare
  c sluice.job_conditions := jsonb_populate_record(null::sluice.job_conditions, p_job.filter);
  v_filter sluice.task_filter := sluice.task_filter_of(coalesce(c.model, c.route), c.tenant,
    c.metadata, c.batch_id, c.since, c.until, c.error_like, c.error_code);
begin
  if c.route is not null then
    v_filter.model := null;
    v_filter.route := c.route;
  elsif p_job.model is not null then  -- whatever it is called by now
    v_filter.model := p_job.model;
    v_filter.route := null;
  end if;
  v_filter.ids := c.ids;
  v_filter.status := coalesce(c.status,
    case when p_job.action = 'redrive' and c.ids is null then 'failed' end);
  v_filter.message := c.message;
  v_filter.is_retargeted := p_job.action = 'redrive' and p_job.target is not null;
  if p_job.action in ('redrive', 'forget') then  -- also what it has redriven and ends again
    v_filter.until := least(c.until, p_job.created_at);
  elsif p_job.action = 'move' then
    v_filter.not_model := (select m.id from sluice.models m where m.name = p_job.target);
    v_filter.not_route := case when v_filter.not_model is null then p_job.target end;
  end if;
  v_filter.not_priority := p_job.priority;
  v_filter.is_bound := p_job.scope = 'tenants';
  v_filter.tenants := case p_job.scope when 'tenants' then p_job.tenants
    when 'without_role' then array(select t.name from sluice.tenants t where t.role is not null)
    else '{}' end;
  return v_filter;
end
$$;

-- job_position: where a job begins (next_page). It goes through places again because tasks move
-- behind its back.
create or replace function sluice.job_position(p_job sluice.job) returns jsonb
language plpgsql volatile
as $$
declare
  v_places text[] := case when p_job.action in ('redrive', 'forget') then array['result']
    else sluice.unfinished_places(sluice.job_filter(p_job)) end;
begin
  if p_job.action in ('move', 'prioritise') then
    v_places := array_remove(v_places, 'lease');
  elsif v_places[cardinality(v_places)] = 'lease' and cardinality(v_places) > 1 then
    -- Calls under way first: what they give back comes to a place that is yet to be searched.
    v_places := array['lease'] || v_places;
  end if;
  return jsonb_build_object('places', v_places, 'again',
    case when 'later' = any (v_places) and cardinality(v_places) > 1
      then array_remove(v_places, 'lease') || case p_job.action when 'cancel'
        then array['lease'] else '{}' end else '{}' end,
    'after', 0, 'until', (select last_value from sluice.task_id));
end
$$;

-- job_page_tasks: how many tasks a page of a job has: some 2 ms of work (D-385).
create or replace function sluice.job_page_tasks() returns int
language sql immutable parallel safe
as $$ select 25 $$;

-- fitting: those of tasks p_ids that fit the job's target or priority, ascending: their request
-- speaks its api, their tenant may use it, and they are not larger than its bucket of tokens.
create or replace function sluice.fitting(p_job sluice.job, p_ids bigint[]) returns bigint[]
language plpgsql volatile
as $$
declare
  v_models sluice.models[] := array(select m from sluice.models m
    where m.name = p_job.target
      or not exists (select from sluice.models where name = p_job.target)
        and m.name in (select r.model from sluice.routes r where r.route = p_job.target));
  v_api text := (select case when count(distinct m.api) = 1 then min(m.api) end
    from unnest(v_models) m);
  v_tenants text[] := array(
    select d.tenant from (select distinct t.tenant from sluice.task t where t.id = any (p_ids)) d
    cross join lateral sluice.limits_of(d.tenant) l
    where not sluice.exceeds(l, coalesce(p_job.priority::int, -100), p_job.target));
begin
  return array(
    select t.id from sluice.task t
    where t.id = any (p_ids) and t.tenant = any (v_tenants)
      and (p_job.target is null or t.request is null
        or v_api = coalesce(t.api, (select m.api from sluice.models m where m.id = t.model)))
      and (p_job.target is null or t.schema_version is null or exists (
        select from sluice.payload_schema s
        where s.target = p_job.target and s.version = t.schema_version))
      and (p_job.target is null or exists (select from unnest(v_models) m
        where m.tpm is null or sluice.estimate_tokens(m.id,
          octet_length(coalesce(t.prompt, t.request)), t.max_output_tokens) <= m.tpm))
    order by t.id);
end
$$;

-- refuse_tenant: SL009 for a tenant that is not the key's.
create or replace function sluice.refuse_tenant(p_tenant text) returns void
language plpgsql stable
as $$
begin
  raise exception 'not this key''s tenant: "%"', left(p_tenant, 200) using errcode = 'SL009',
    column = 'tenant', hint = 'Leave it out.';
end
$$;

-- undo_time: how long after the end of a job its undoing can begin.
create or replace function sluice.undo_time() returns interval
language sql immutable parallel safe
as $$ select interval '24 hours' $$;

-- undo_tasks_max: a job that has changed more tasks cannot be undone. What is kept of them takes
-- some 100 MB.
create or replace function sluice.undo_tasks_max() returns bigint
language sql immutable parallel safe
as $$ select 1000000::bigint $$;

-- can_undo: whether a job can be undone: it has ended, and what that needs is still kept.
create or replace function sluice.can_undo(p_job sluice.job, p_now timestamptz) returns boolean
language sql immutable parallel safe
set search_path = sluice, pg_temp
as $$
  select p_job.state in ('done', 'cancelled', 'failed') and p_job.done > p_job.undone
    and coalesce(p_job.undo_until > p_now, false)
$$;

-- jobs: jobs that the caller may see, and act on. Who is bound to tenants sees those that he, or
-- somebody else who is bound to them, has started.
create or replace view sluice.jobs with (security_barrier) as
  select j.id, sluice.guarded(j.action) as action, sluice.guarded(j.filter) as filter,
    sluice.guarded(j.target) as target, sluice.guarded(j.priority::int) as priority,
    sluice.guarded(j.state) as state, sluice.guarded(j.matched) as matched,
    sluice.guarded(j.is_estimate) as is_estimate, sluice.guarded(j.done) as done,
    sluice.guarded(j.skipped) as skipped, sluice.guarded(j.undone) as undone,
    sluice.guarded(j.created_at) as created_at, sluice.guarded(j.started_at) as started_at,
    sluice.guarded(j.finished_at) as finished_at,
    sluice.guarded(case when j.api_key is null then j.who::text
      else format('key %s via %s', j.api_key, j.who) end) as who,
    sluice.guarded(j.error) as error,
    sluice.guarded(sluice.can_undo(j, clock_timestamp())) as can_undo,
    sluice.guarded(case when isfinite(j.undo_until) then j.undo_until end) as undo_until
  from sluice.job j cross join sluice.caller_scope() c
  where case when c.bound then j.scope = 'tenants' and j.tenants <@ c.tenants
    when j.scope = 'tenants' then not j.tenants && c.tenants
    else j.scope = 'without_role' or c.tenants = '{}' end;

-- require_job: the job, if the caller may see it, and a key of p_tenant (null: any) may, too.
-- Errors:  SL006.
create or replace function sluice.require_job(p_id bigint, p_tenant text) returns sluice.job
language plpgsql stable
as $$
declare
  v_job sluice.job;
begin
  select j.* into v_job from sluice.job j
  where j.id = p_id and j.id in (select v.id from sluice.jobs v where v.id = p_id)
    and (p_tenant is null or j.scope = 'tenants' and j.tenants = array[p_tenant]);
  if v_job.id is null then
    raise exception 'there is no job %', p_id using errcode = 'SL006',
      hint = 'sluice job ls lists what there is.';
  end if;
  return v_job;
end
$$;
