-- Events: while settings.events is on, the ids of ended tasks are sent on the channel sluice_done.
-- Best effort: a client that must know has to look as well. A payload has up to 400 ids, separated
-- by commas.

-- announce: announces which of the given tasks have ended on channel sluice_done, for listeners,
-- while settings.events is on. Call it after a complete has committed, in a statement of its own.
-- Params:  ids: tasks whose calls were completed; those that went back are skipped.
-- Returns: how many it announced; 0 when settings.events is off.
-- Errors:  53400 the server's queue of notifications is half full (a listener does not read); 55P03
--          other sessions' notifications kept it waiting for 100 ms. Then nothing is announced, now
--          or later.
--
-- Because a transaction that notifies holds a cluster-wide lock through its commit.
create or replace function sluice.announce(ids bigint[]) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
begin
  -- the lock is taken at the commit, and a worker's flush waits for it
  perform set_config('lock_timeout', '100ms', true);
  if sluice.notifications_are_scarce() then
    raise exception 'the notifications of this server are half full' using errcode = '53400',
      hint = 'A session that listens has a transaction open: pg_stat_activity shows it.';
  end if;
  return sluice.announce_ended(array(select sluice.ended(announce.ids)));
end
$$;

-- announce_ended: announces ended tasks when this transaction commits. announce calls it, and so
-- does each transaction that ends tasks without a worker's outcome (note_ended). Returns how many:
-- 0 when settings.events is off, or when notifications are scarce.
create or replace function sluice.announce_ended(p_ids bigint[]) returns int
language plpgsql volatile
as $$
begin
  if coalesce(cardinality(p_ids), 0) = 0 or not (select events from sluice.settings)
    or sluice.notifications_are_scarce() then
    return 0;
  end if;
  perform pg_notify('sluice_done', payload) from sluice.done_payloads(p_ids) payload;
  return cardinality(p_ids);
end
$$;

-- note_ended: counts and announces tasks that ended with p_status without a worker's outcome.
create or replace function sluice.note_ended(p_ids bigint[], p_status text) returns void
language plpgsql volatile
as $$
begin
  perform sluice.count_results(p_status, cardinality(p_ids)), sluice.announce_ended(p_ids);
end
$$;

-- done_payloads: ids as texts for NOTIFY, which takes less than 8,000 bytes: 400 ids of 19 digits
-- are 7,999.
create or replace function sluice.done_payloads(p_ids bigint[]) returns setof text
language sql immutable
as $$
  select string_agg(id::text, ',' order by place) from unnest(p_ids) with ordinality t(id, place)
  group by (place - 1) / 400 order by (place - 1) / 400
$$;

-- ended: which of these tasks have an outcome.
-- Params:  ids: of the HTTP front's waiting clients, all in one statement (5,000 take 5 ms).
create or replace function sluice.ended(ids bigint[]) returns setof bigint
language plpgsql stable security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query select i from unnest(ended.ids) i
    where exists (select from sluice.result r where r.task_id = i);
end
$$;

-- count_results: counts p_count results stored with p_status (null: none). Not undone by a
-- rollback, so a completion that is repeated after one counts twice: only monitoring reads it, as a
-- rate.
create or replace function sluice.count_results(p_status text, p_count int) returns void
language plpgsql volatile
as $$
begin
  perform nextval(c.counter)
  from (select ('sluice.results_' || p_status)::regclass as counter offset 0) c,
    generate_series(1, p_count);
end
$$;
