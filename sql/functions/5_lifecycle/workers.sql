-- Workers: registered at their start, alive as long as they send heartbeats.

-- register_worker: registers a worker. Call it once at start, and again when claim says SL010.
-- Params:  name: for people; slots: how many calls it can have in flight; models: names of those
--          that it serves (null: all); version: of its program, for people.
-- Returns: its id: random, 63 bits.
create or replace function sluice.register_worker(
  name text, slots int, models text[] default null, version text default null,
  p_now timestamptz default null)
returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_random bytea := decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-',
    ''), 'hex');
  v_id bigint := ('x' || encode(substr(v_random, 1, 4) || substr(v_random, 17, 4),
    'hex'))::bit(64)::bigint & 9223372036854775807;
begin
  insert into sluice.worker (id, name, slots, models, version, registered_at, seen, beating_since)
  values (v_id, register_worker.name, register_worker.slots,
    -- In one order, each once: workers of the same models share a watcher (6_wakeups/watcher.sql).
    case when register_worker.models is not null then
      array(select distinct m from unnest(register_worker.models) m order by m) end,
    register_worker.version, v_now, v_now, v_now);
  return v_id;
end
$$;

-- worker_speaks: notes which apis a worker speaks; it then serves only models with these. Without
-- this call: all.
-- Params:  worker: its id, just returned by register_worker; apis: values of sluice.models.api.
-- Returns: the id, so that both calls are one statement.
create or replace function sluice.worker_speaks(worker bigint, apis text[]) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  update sluice.worker w
    set apis = array(select distinct a from unnest(worker_speaks.apis) a order by a)
  where w.id = worker_speaks.worker;
  return worker_speaks.worker;
end
$$;

-- serve_versions: notes which versions of payloads a worker serves; it is then given tasks of
-- these, and tasks without a version. Without this call: all.
-- Params:  worker: its id, just returned by register_worker; versions: of sluice.payload_schema
--          (null: all).
-- Returns: the id, so that both calls are one statement.
create or replace function sluice.serve_versions(worker bigint, versions text[]) returns bigint
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  update sluice.worker w set schema_versions = case when serve_versions.versions is not null
    then array(select distinct v from unnest(serve_versions.versions) v order by v) end
  where w.id = serve_versions.worker;
  return serve_versions.worker;
end
$$;

-- live_workers: the live workers that serve a model.
-- Params:  p_version: and this version of payloads (null: any).
create or replace function sluice.live_workers(
  p_model sluice.models, p_now timestamptz, p_version text default null)
returns bigint[]
language plpgsql volatile
as $$
begin
  return array(
    select w.id from sluice.worker w, sluice.settings s
    where w.dead_at is null and w.seen >= p_now - s.heartbeat_timeout
      and sluice.serves(w, p_model) and coalesce(p_version is null
        or p_version = any (w.schema_versions), true));
end
$$;

-- heartbeat: proves that a worker lives. Send it every third of settings.heartbeat_timeout, and at
-- once after a notification on channel sluice_abort with the worker's id.
-- Params:  worker: its id.
-- Returns: the calls to abort, as (task_id, fence): cancelled ones (complete them as cancelled),
--          and all calls of a worker that was declared dead. A dead worker stays dead: register
--          again.
--
-- It updates one row for each worker, none for its tasks. For a worker that was asleep, or silent
-- for heartbeat_timeout, the time without a gap begins anew: only after another heartbeat_timeout
-- may it declare others dead (recover).
create or replace function sluice.heartbeat(worker bigint, p_now timestamptz default null)
returns table (task_id bigint, fence int)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_timeout interval := (select heartbeat_timeout from sluice.settings);
begin
  perform set_config('synchronous_commit', 'off', true);
  update sluice.worker w
  set seen = v_now,
      beating_since = case when w.seen between v_now - v_timeout and v_now then w.beating_since
        else v_now end
  where w.id = heartbeat.worker and w.dead_at is null;
  if not found then
    return query select a.task_id, a.fence from sluice.attempt a
      where a.worker = heartbeat.worker and a.kind = 'lost';
    return;
  end if;
  return query select c.task_id, c.fence from sluice.cancellation c
    where c.worker = heartbeat.worker and (
      select true from sluice.lease l where l.task_id = c.task_id and l.fence = c.fence limit 1);
end
$$;

-- unregister_worker: a worker leaves. Its leases go back uncharged; tasks that were being cancelled
-- end.
-- Params:  worker: its id.
-- Returns: how many leases it had.
create or replace function sluice.unregister_worker(worker bigint, p_now timestamptz default null)
returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_leases sluice.lease[];
begin
  -- seen then: one that is declared dead was last seen before
  update sluice.worker set dead_at = v_now, seen = v_now
  where id = unregister_worker.worker and dead_at is null;
  with mine as materialized (
    select l.ctid as at from sluice.lease l where l.worker = unregister_worker.worker
    order by l.task_id for update),
  gone as (
    delete from sluice.lease l using mine m where l.ctid = m.at returning l as row)
  select array_agg(gone.row) into v_leases from gone;
  perform sluice.requeue(v_leases);
  perform sluice.settle_cancellations(v_now, array(select l.task_id from unnest(v_leases) l));
  perform sluice.keep_held(v_leases, v_now), sluice.count_ended(v_leases);
  return coalesce(cardinality(v_leases), 0);
end
$$;

-- held_leases: the leases of a worker, without bodies: for a comparison after a reconnect.
-- Params:  worker: its id.
create or replace function sluice.held_leases(worker bigint)
returns table (task_id bigint, fence int)
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query select l.task_id, l.fence from sluice.lease l where l.worker = held_leases.worker;
end
$$;
