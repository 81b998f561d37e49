-- Jobs: bulk actions that the server makes by itself, over any number of tasks. A job is a row of
-- sluice.job; its steps (job_steps.sql) are made by workers and tick. Starting one counts the tasks
-- in question, and changes none.
--
--   redrive, cancel, forget     as redrive_all, cancel_all and forget_all; a redrive may send its
--                               tasks to another model or route
--   move                        waiting tasks go to another model or route, with their age
--   prioritise                  waiting tasks get another priority
--
-- Each task is acted on once. Tasks that are submitted or end after the job was started are not
-- meant. A task that a worker has is cancelled, but neither moved nor given a priority.

-- start_job: starts a job, or previews it. One row of the audit says who started what.
-- Params:  action: redrive, cancel, move, prioritise or forget; filter: an object; a task must meet
--          all that is given: ids (200 at most), status, model (that it named or ended at) or
--          route, tenant, batch_id, metadata (contained in the task's), since, until (of the end
--          for redrive and forget, else of the submit); for redrive and forget also error_code,
--          error_like (a LIKE pattern), message (an error without its numbers, ids and quoted
--          parts). Without any condition {"everything": true}. Without status a redrive means
--          failed tasks or, of ids, all that can be redriven; dry_run: nothing is started; target:
--          of move, and of a redrive to elsewhere: model or route; priority: of prioritise.
-- Returns: the job's id; with dry_run how many tasks meet the filter, with a notice of an estimate.
-- Errors:  SL001 unknown model or route, or no task in question fits the target; SL003 too many
--          jobs are open, or 1,000 of the tenant's can be undone; SL004 arguments that do not go
--          together; SL009 not this caller's tenant, or the tenant may not use the target.
create or replace function sluice.start_job(
  action text, filter jsonb, dry_run boolean default false, target text default null,
  priority int default null, p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_job sluice.job := sluice.new_job(start_job.action, start_job.filter, start_job.target,
    start_job.priority, null, sluice.now_for(p_now));
begin
  if not coalesce(start_job.dry_run, false) then
    return (sluice.store_job(v_job)).id;
  elsif v_job.is_estimate then
    raise notice 'about % tasks: an estimate', v_job.matched;
  end if;
  return v_job.matched;
end
$$;

-- new_job: a job that has been checked and counted, but not stored.
-- Params:  p_tenant: that of the key for which the HTTP front acts (null: none): it acts on this
--          tenant's tasks alone.
-- Errors:  as start_job, but SL003.
create or replace function sluice.new_job(
  p_action text, p_filter jsonb, p_target text, p_priority int, p_tenant text, p_now timestamptz)
returns sluice.job
language plpgsql volatile
as $$
declare
  v_job sluice.job;
  c sluice.job_conditions := sluice.read_record(null::sluice.job_conditions,
    coalesce(p_filter, '{}'));
  v_scope record := sluice.caller_scope();
begin
  perform sluice.require_collation(p_action);
  perform sluice.check_job(p_action, c, p_target, p_priority);
  if octet_length(p_filter::text) > 8192 then  -- every list of jobs shows it
    raise exception 'the filter has more than 8192 bytes'
      using errcode = 'SL004', column = 'filter';
  elsif v_scope.bound and v_scope.tenants = '{}' then
    raise exception 'this caller acts for no tenant' using errcode = 'SL009',
      hint = 'It is a member neither of a tenant''s database role nor of settings.default_role.';
  end if;
  if p_tenant is not null then
    perform sluice.require_tenant(p_tenant);
    perform sluice.refuse_tenant(c.tenant) where c.tenant <> p_tenant;
    p_filter := coalesce(p_filter, '{}') || jsonb_build_object('tenant', p_tenant);
  end if;
  v_job.action := p_action;
  v_job.filter := coalesce((select jsonb_object_agg(f.key, f.value) from jsonb_each(p_filter) f
    where f.value <> 'null'), '{}')
    -- with their zone: steps are made in sessions of another one
    || jsonb_strip_nulls(jsonb_build_object('since', c.since, 'until', c.until));
  v_job.target := p_target;
  v_job.priority := p_priority;
  v_job.created_at := p_now;
  v_job.model := (select m.id from sluice.models m where m.name = c.model);
  v_job.scope := case when v_scope.bound or p_tenant is not null then 'tenants'
    when sluice.is_administrator() then 'all' else 'without_role' end;
  v_job.tenants := case when p_tenant is not null then array[p_tenant]
    when v_scope.bound then v_scope.tenants else '{}' end;
  v_job.who := session_user;
  v_job.api_key := sluice.caller_key();
  perform sluice.check_filter(sluice.job_filter(v_job), 'start_job', true);
  v_job.position := sluice.job_position(v_job);
  perform sluice.check_target(v_job, c.tenant);
  select k.matched, k.is_estimate into v_job.matched, v_job.is_estimate
  from sluice.count_job(v_job) k;
  return v_job;
end
$$;

-- store_job: stores a new job, notes it in the audit, and wakes the workers. Returns the job.
-- Errors:  SL003, SL004 as take_place and make_room.
create or replace function sluice.store_job(p_job sluice.job) returns sluice.job
language plpgsql volatile
as $$
begin
  perform sluice.take_place(p_job);
  perform sluice.make_room(p_job);
  select p.failures, p.look_at into p_job.failures, p_job.look_at
  from sluice.job_pause(p_job, p_job.created_at) p;
  insert into sluice.job (matched, created_at, look_at, failures, undo_until, model, priority,
    is_estimate, action, target, scope, tenants, who, api_key, filter, position)
  values (p_job.matched, p_job.created_at, p_job.look_at, p_job.failures,
    case when p_job.action <> 'forget' then 'infinity'::timestamptz end, p_job.model,
    p_job.priority, p_job.is_estimate, p_job.action, p_job.target, p_job.scope, p_job.tenants,
    p_job.who, p_job.api_key, p_job.filter, p_job.position)
  returning * into p_job;
  perform sluice.note_command('start_job', p_job.id::text, p_job.filter || jsonb_build_object(
    'action', p_job.action, 'target', p_job.target, 'priority', p_job.priority, 'matched',
    p_job.matched));
  perform sluice.notify('sluice_config', '');  -- who sleeps looks for jobs, too
  return p_job;
end
$$;

-- job_pause: when a job may make its first step, and as one that has failed how often. A step that
-- waits for a lock in vain takes all jobs' time: who cancels such a job, and starts or undoes one,
-- has no new ones. Of the last minute, ten seconds at most.
create or replace function sluice.job_pause(
  p_job sluice.job, p_now timestamptz, out failures int, out look_at timestamptz)
language sql stable
as $$
  select coalesce(max(least(j.failures, 9)), 0),
    greatest(p_now, least(coalesce(max(j.look_at), p_now), p_now + interval '10 seconds'))
  from sluice.job j
  where j.failures > 0 and j.scope = 'tenants' and p_job.scope = 'tenants'
    and j.tenants && p_job.tenants and (j.state in ('running', 'cancelling', 'undoing')
      or j.finished_at > p_now - interval '1 minute')
$$;

-- cancel_job: stops a job, or its undoing. What it has done stays done, and may be undone.
-- Params:  id: of the job.
-- Returns: the state afterwards: cancelled or, if the job had ended, the final one.
-- Errors:  SL006 no such job among those that the caller may see.
--
-- A step that is being made holds the job's row, and is the last.
create or replace function sluice.cancel_job(id bigint, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  perform sluice.require_job(cancel_job.id, null);
  perform from sluice.job j where j.id = cancel_job.id and j.state in ('running', 'undoing')
  for update;
  if found then
    perform sluice.end_job(cancel_job.id, 'cancelled', sluice.now_for(p_now)),
      sluice.note_command('cancel_job', cancel_job.id::text);
  end if;
  return (select j.state from sluice.job j where j.id = cancel_job.id);
end
$$;

-- undo_job: undoes what a job did, where that can still be done, in steps like the job's:
--   move         tasks that still wait where it put them go back
--   prioritise   tasks that still wait with its priority get their old one
--   redrive      tasks that still wait, and were not claimed since, end again as they had ended
--   cancel       tasks that are still cancelled are redriven: they wait behind the others
-- A job is undone within 24 hours of its end, and once. forget has no undo. While a job is being
-- undone it is open.
-- Params:  id: of the job.
-- Returns: the state afterwards: undoing.
-- Errors:  SL003 too many jobs are open; SL004 it has not ended, or cannot be undone; SL006 as
--          cancel_job.
create or replace function sluice.undo_job(id bigint, p_now timestamptz default null)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_job sluice.job := sluice.require_job(undo_job.id, null);
begin
  select j.* into v_job from sluice.job j where j.id = undo_job.id for update;
  if not sluice.can_undo(v_job, v_now) then
    raise exception 'job % cannot be undone', undo_job.id using errcode = 'SL004', hint = case
      when v_job.action = 'forget' then 'Erased texts are gone.'
      when v_job.finished_at is null then 'It has not ended: cancel it first.'
      when v_job.state = 'undone' then 'It has been undone already.'
      when v_job.done = 0 then 'It changed nothing.'
      else format('What that needs is kept for %s, of at most %s tasks.', sluice.undo_time(),
        sluice.undo_tasks_max()) end;
  end if;
  perform sluice.take_place(v_job);
  update sluice.job j set state = 'undoing', finished_at = null, error = null,
    (failures, look_at) = (select p.failures, p.look_at from sluice.job_pause(v_job, v_now) p),
    undo_until = 'infinity', undo_key = sluice.caller_key()
  where j.id = undo_job.id;
  perform sluice.note_command('undo_job', undo_job.id::text);
  perform sluice.notify('sluice_config', '');
  return 'undoing';
end
$$;
