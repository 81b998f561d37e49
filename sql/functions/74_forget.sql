-- forget: erases the texts of a finished task: prompt, request, metadata, traceparent, answer, response and error texts,
-- those of its attempts too. Its times, counts, codes and costs stay; its idempotency key, a hash, stays bound.
-- The only place that updates rows of task, result and attempt. The old texts are gone from the disk after the next VACUUM,
-- and from backups when those are deleted.
-- Errors:  SL004 it is still unfinished; SL006 no such task; SL009 not this caller's tenant's. To forget twice is no
--          error.
create or replace function sluice.forget(id bigint, p_now timestamptz default null) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  perform sluice.require_finished(forget.id);
  update sluice.task t
  set prompt = '', request = null, metadata = null, traceparent = null,
      forgotten_at = coalesce(t.forgotten_at, p_now, clock_timestamp())
  where t.id = forget.id;
  update sluice.result r set answer = null, response = null, error = null where r.task_id = forget.id;
  update sluice.attempt a set answer = null, response = null, error = null where a.task_id = forget.id;
  perform sluice.note_audit('forget', forget.id::text);
end
$$;
