-- tick: one round of everything that must happen also without a worker: admission, recovery, counts, partitions, sweep.
-- For cron, or by hand; safe at any time and from several places at once (the second finds the first at it).
-- Returns: what it did, as counts.
create or replace function sluice.tick(p_now timestamptz default null) returns jsonb
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_recovered int;
  v_admitted int;
  v_swept int;
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('tick'), 0) then
    return jsonb_build_object('busy', true);
  end if;
  v_recovered := sluice.recover(null, v_now);
  v_admitted := (select coalesce(sum(sluice.admit(m.name, null, v_now)), 0) from sluice.models m);
  v_swept := sluice.sweep(v_now);
  perform sluice.recount_in_flight(m.id) from (select id from sluice.models order by id) m;
  perform sluice.doubt_gauges();
  perform sluice.make_partitions(last_value - last_value % 50000, last_value) from sluice.task_id;
  return jsonb_build_object('recovered', v_recovered, 'admitted', v_admitted, 'swept', v_swept);
end
$$;
