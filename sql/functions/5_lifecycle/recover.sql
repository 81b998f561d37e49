-- recover: takes the leases of dead workers back: those silent for longer than
-- settings.heartbeat_timeout. Each lost lease costs its task one attempt and is noted as possibly
-- billed, so a task that kills workers ends among the dead letters. Call it after a heartbeat.
-- Params:  judge: the calling worker's id (null: tick).
-- Returns: the number of leases taken back, at most 1,000 a call. A worker that gets 1,000 calls
--          again at once, in another transaction.
--
-- Another worker may declare a silent one dead only if its own heartbeats had no gap for that long:
-- else the first worker back after an outage of the database would declare all others dead, and
-- every call would be paid for twice. A tick declares a worker dead if a tick saw it silent one
-- timeout ago and it has sent no heartbeat since. Leases whose claim committed after their worker
-- was declared dead are taken back, too. Twice in one transaction would take lines' locks out of
-- order.
create or replace function sluice.recover(judge bigint default null, p_now timestamptz default null)
returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set enable_material = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := sluice.now_for(p_now);
  v_timeout interval := (select heartbeat_timeout from sluice.settings);
  v_lost sluice.lease[];
begin
  update sluice.worker w set dead_at = v_now
  from (
    select w.id from sluice.worker w
    where w.dead_at is null and w.seen < v_now - v_timeout and w.id is distinct from recover.judge
      and case when recover.judge is null then w.suspected_at between w.seen and v_now - v_timeout
          else exists (select from sluice.worker j where j.id = recover.judge and j.dead_at is null
                       and j.beating_since <= v_now - v_timeout and j.seen >= v_now - v_timeout) end
    for update skip locked) silent
  where w.id = silent.id;
  if recover.judge is null then
    update sluice.worker w set suspected_at = v_now
    from (select w.id from sluice.worker w
          where w.dead_at is null and w.seen < v_now - v_timeout
            and coalesce(w.suspected_at < w.seen, true)
          for update skip locked) silent
    where w.id = silent.id;
  end if;

  with lost as materialized (
    select l.ctid as at from sluice.worker w join sluice.lease l on l.worker = w.id
    where w.dead_at is not null
    order by l.task_id limit 1000 for update of l skip locked),
  gone as (
    delete from sluice.lease l using lost x where l.ctid = x.at returning l as lease)
  select array_agg(g.lease) into v_lost from gone g;
  if v_lost is not null then
    perform sluice.charge_lost(v_lost, v_now);
  end if;
  perform sluice.forget_dead_workers(v_now);
  perform sluice.reopen_refused();
  return coalesce(cardinality(v_lost), 0);
end
$$;

-- charge_lost: charges one attempt to each lost lease, notes it, and puts the task back into its
-- line, or among the dead letters after its last attempt. A task that was being cancelled goes back
-- and is ended there. The leases' rows have been deleted in this transaction.
create or replace function sluice.charge_lost(p_lost sluice.lease[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_back sluice.lease[];
  v_dead sluice.lease[];
begin
  insert into sluice.attempt (task_id, worker, started_at, ended_at, fence, billed, kind, model,
    error_code, error)
  select l.task_id, l.worker, l.started_at, p_now, l.fence, null, 'lost', m.name, 'worker_lost',
    'the worker stopped proving life in mid-call'
  from unnest(p_lost) l join sluice.models m on m.id = l.model;
  select array_agg(row(l.task_id, l.worker, l.ready_at, l.started_at, l.deadline,
    l.reserved_tokens, l.model, l.request_bytes, l.fence, l.rank, l.attempts + 1, l.tenant, l.calls,
    l.line)::sluice.lease) into v_back
  from unnest(p_lost) l where l.attempts + 1 < sluice.attempts_max(l.task_id, l.model)
    or exists (select from sluice.cancellation c where c.task_id = l.task_id and c.fence = l.fence);
  v_dead := array(select l from unnest(p_lost) l
    where not exists (select from unnest(v_back) b where b.task_id = l.task_id));
  perform sluice.store_results(array(
      select row(l.task_id, l.fence, 'failed', null, null, 'every worker that took it stopped '
        'proving life in mid-call', 'worker_lost', null, null, null, null, null)::sluice.outcome
      from unnest(v_dead) l),
    array(select row(n, v_dead[n])::sluice.ended_call from generate_subscripts(v_dead, 1) n), p_now,
    null), sluice.announce_ended(array(select l.task_id from unnest(v_dead) l));
  perform sluice.requeue(v_back);
  perform sluice.settle_cancellations(p_now, array(select b.task_id from unnest(v_back) b));
  perform sluice.keep_held(p_lost, p_now), sluice.count_ended(p_lost);
end
$$;

-- forget_dead_workers: removes workers that have been dead for a day and hold nothing. Removing
-- them sooner would orphan a lease whose claim commits late.
create or replace function sluice.forget_dead_workers(p_now timestamptz) returns void
language plpgsql volatile
as $$
begin
  delete from sluice.worker w
  where w.dead_at < p_now - interval '1 day'
    and not exists (select from sluice.lease l where l.worker = w.id);
end
$$;
