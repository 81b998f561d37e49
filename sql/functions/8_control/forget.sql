-- forget: erases the texts of a finished task: prompt, request, metadata, traceparent, affinity
-- key, answer, response and error texts, also those of its attempts. Times, counts, codes and costs
-- stay; its idempotency key, a hash, stays bound. Files of batches are not touched. The old texts
-- are gone from the disk after the next VACUUM, and from backups when those are deleted. Forgetting
-- twice is no error.
-- Params:  id: of the task.
-- Errors:  SL004 it is still unfinished; SL006 no such task among the caller's tenants'.
create or replace function sluice.forget(id bigint, p_now timestamptz default null) returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  perform sluice.require_finished(forget.id);
  perform sluice.forget_texts(array[forget.id], sluice.now_for(p_now));
  perform sluice.note_command('forget', forget.id::text);
end
$$;

-- forget_step: how many tasks one forget_all erases at most: less than a second of work, and some
-- 10 MB of WAL.
create or replace function sluice.forget_step() returns int
language sql immutable parallel safe
as $$ select 10000 $$;

-- forget_texts: erases the texts of finished tasks. Requires the results' row locks. The new rows
-- keep which transaction stored the old ones: what the history has counted is not counted again.
-- The only place that updates rows of result and attempt.
create or replace function sluice.forget_texts(p_ids bigint[], p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  update sluice.task t
  set prompt = '', request = null, metadata = null, traceparent = null, affinity_key = null,
    bounds = null, forgotten_at = coalesce(t.forgotten_at, p_now)
  where t.id = any (p_ids);
  update sluice.result r
  set answer = null, response = null, error = null,
    stored_by = coalesce(r.stored_by, (select sluice.next_xid()) - age(r.xmin))
  where r.task_id = any (p_ids);
  update sluice.attempt a
  set answer = null, response = null, error = null,
    stored_by = coalesce(a.stored_by, (select sluice.next_xid()) - age(a.xmin))
  where a.task_id = any (p_ids);
end
$$;
