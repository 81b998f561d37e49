-- wake: moves what has come to be ready. Called by workers now and then and before they sleep.
-- Params:  p_now. Returns: how many tasks became ready.
create or replace function sluice.wake(p_now timestamptz default null) returns int
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_woken int := sluice.wake_later(coalesce(p_now, clock_timestamp()));
begin
  if v_woken = 0 then
    perform sluice.drop_remains();
  end if;
  return v_woken;
end
$$;

-- drop_remains: drops some of what an upgrade leaves (dropped.sql lists it), for at most 300 ms,
-- and at most 500 things, each of which takes two or three places in the shared table of locks;
-- waits for no lock. Returns how many it dropped. Called by wake that finds nothing else to do. Not
-- before the calls that were under way when the functions were applied have ended. Not fewer at a
-- time: each is told to all sessions, which then walk over all their plans. Sessions that are told
-- of more than 4,096 things at once forget their plans instead. Measured, 1,000 models' plans: 100
-- things 3 s, 500 things 0.2 s.
create or replace function sluice.drop_remains() returns int
language plpgsql volatile
set lock_timeout = '20ms'
as $$
declare
  v_until timestamptz := clock_timestamp() + interval '300 ms';
  v_dropped int := 0;
  v record;
begin
  if to_regclass('sluice.remains') is null
     or exists (select from sluice.function_set
       where applied_at > clock_timestamp() - interval '1 minute')
     or not pg_try_advisory_xact_lock(sluice.lock_class('tick'), 0) then
    return 0;
  end if;
  for v in select statement from sluice.remains order by random() limit 500 loop
    begin
      execute v.statement;
      delete from sluice.remains r where r.statement = v.statement;
      v_dropped := v_dropped + 1;
    exception when lock_not_available or out_of_memory or dependent_objects_still_exist then
      null;  -- the next round
    end;
    exit when clock_timestamp() > v_until;
  end loop;
  if not exists (select from sluice.remains) then
    begin
      drop table sluice.remains;
    exception when lock_not_available then
      null;
    end;
  end if;
  return v_dropped;
end
$$;
