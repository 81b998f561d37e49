-- Jobs as clients of the HTTP front see them. Their ids are texts, because a browser's numbers are
-- not exact beyond 2^53.

-- job_object: a job.
create or replace function sluice.job_object(p_job sluice.jobs) returns json
language sql stable
as $$
  select json_build_object('id', p_job.id::text, 'object', 'job', 'action', p_job.action, 'filter',
    p_job.filter, 'to', p_job.target, 'priority', p_job.priority, 'state', p_job.state, 'matched',
    p_job.matched, 'is_estimate', p_job.is_estimate, 'done', p_job.done, 'skipped', p_job.skipped,
    'undone', p_job.undone, 'created_at', p_job.created_at, 'started_at', p_job.started_at,
    'finished_at', p_job.finished_at, 'who', p_job.who, 'error', p_job.error, 'can_undo',
    p_job.can_undo, 'undo_until', p_job.undo_until)
$$;

-- post_job: starts a job for a client, or previews it.
-- Params:  body: a sluice.job_request; tenant: the key's, if it has one.
-- Returns: the job; with dry_run only matched and is_estimate.
-- Errors:  as start_job; SL004 for a body that is none.
create or replace function sluice.post_job(
  body jsonb, tenant text default null, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_body sluice.job_request := sluice.read_record(null::sluice.job_request, post_job.body);
  v_job sluice.job := sluice.new_job(v_body.action, v_body.filter, v_body."to", v_body.priority,
    post_job.tenant, sluice.now_for(p_now));
begin
  if coalesce(v_body.dry_run, false) then
    return json_build_object('matched', v_job.matched, 'is_estimate', v_job.is_estimate);
  end if;
  v_job := sluice.store_job(v_job);  -- by itself, so that the next statement sees it
  return sluice.show_job(v_job.id, post_job.tenant);
end
$$;

-- show_job: a job; null: there is none that this key may see.
create or replace function sluice.show_job(id bigint, tenant text default null) returns json
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  if not exists (select from sluice.job j where j.id = show_job.id and (show_job.tenant is null
      or j.scope = 'tenants' and j.tenants = array[show_job.tenant])) then
    return null;  -- before the view, or the time would tell that there is one
  end if;
  return (select sluice.job_object(v) from sluice.jobs v where v.id = show_job.id);
end
$$;

-- list_jobs: jobs that this key may see, newest first.
-- Params:  before: ids below this one; max_jobs: at most so many.
create or replace function sluice.list_jobs(
  tenant text default null, before bigint default null, max_jobs int default 50)
returns json
language plpgsql stable security definer
set search_path = sluice, pg_temp
as $$
begin
  return (
    select json_build_object('object', 'list', 'data', coalesce(json_agg(l.job order by l.id desc),
      '[]'))
    from (
      select v.id, sluice.job_object(v) as job from sluice.jobs v join sluice.job j on j.id = v.id
      where (list_jobs.before is null or v.id < list_jobs.before) and (list_jobs.tenant is null
        or j.scope = 'tenants' and j.tenants = array[list_jobs.tenant])
      order by v.id desc limit list_jobs.max_jobs) l);
end
$$;

-- act_on_job: cancels or undoes a job for a client; the job afterwards.
-- Params:  action: cancel or undo; tenant: the key's, if it has one.
-- Errors:  as cancel_job and undo_job.
create or replace function sluice.act_on_job(
  id bigint, action text, tenant text default null, p_now timestamptz default null)
returns json
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.require_job(act_on_job.id, act_on_job.tenant);
  perform case act_on_job.action when 'undo' then sluice.undo_job(act_on_job.id, p_now)
    else sluice.cancel_job(act_on_job.id, p_now) end;
  return sluice.show_job(act_on_job.id, act_on_job.tenant);
end
$$;
