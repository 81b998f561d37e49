-- Failed tasks, and calls that failed or were paid for.

-- dead_letters: the tasks of the caller's tenants that failed for good. sluice.redrive sends one
-- back.
create or replace view sluice.dead_letters with (security_barrier) as
  select id, route, model, tenant, priority, error, error_code, attempts, metadata, batch_id,
    created_at, finished_at
  from sluice.tasks where status = 'failed';

-- attempts: the calls of the caller's tenants' tasks that failed, were lost, came too late or were
-- extra ones, outcomes that a redrive took back, and models that a task left (rerouted). Those of
-- one task are found fast by sluice.attempts(id).
--
-- A condition on task_id waits like the others, for it would count the calls of anybody's task.
-- Each call looks its task's tenant up: a join of the caller's settings would tell which task it is
-- of (D-409).
create or replace view sluice.attempts with (security_barrier) as
  select a.id, sluice.guarded(a.task_id) as task_id, sluice.guarded(a.fence) as fence,
    sluice.guarded(a.kind) as kind,
    sluice.guarded(a.model) as model, sluice.guarded(a.worker) as worker,
      sluice.guarded(a.http_status) as http_status,
    sluice.guarded(a.error_code) as error_code, sluice.guarded(a.error) as error,
      sluice.guarded(a.billed) as billed,
    sluice.guarded(a.input_tokens) as input_tokens,
      sluice.guarded(a.output_tokens) as output_tokens,
    sluice.guarded(a.answer) as answer, sluice.guarded(a.response) as response,
      sluice.guarded(a.started_at) as started_at,
    sluice.guarded(a.ended_at) as ended_at, sluice.guarded(a.cached_tokens) as cached_tokens,
    sluice.guarded(a.cache_write_tokens) as cache_write_tokens,
    sluice.guarded(a.reasoning_tokens) as reasoning_tokens,
    sluice.guarded(trim_scale(a.cost)) as cost, sluice.guarded(a.fallback_to) as fallback_to
  from sluice.attempt a cross join sluice.caller_scope() c
  where (select (t.tenant = any (c.tenants)) = c.bound from sluice.task t where t.id = a.task_id);

-- attempts: the calls of one task that failed, were lost, came too late or were extra ones, the
-- oldest first: rows of sluice.attempts, found fast.
-- Params:  id: of the task.
-- Returns: none when there is no such task among the caller's tenants'.
create or replace function sluice.attempts(id bigint) returns setof sluice.attempts
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select a.id, a.task_id, a.fence, a.kind, a.model, a.worker, a.http_status, a.error_code, a.error,
    a.billed, a.input_tokens, a.output_tokens, a.answer, a.response, a.started_at, a.ended_at,
    a.cached_tokens, a.cache_write_tokens, a.reasoning_tokens, trim_scale(a.cost), a.fallback_to
  from sluice.attempt a
  where a.task_id = attempts.id
    and sluice.may_act_for((select t.tenant from sluice.task t where t.id = attempts.id))
  order by a.id;
end
$$;
