-- Each model's queue becomes a line: an index in which the tenants of a rank stand one behind the other, and the gauge of a bound on what
-- waits. Apart from 0050, because it goes in steps: of each queue the submits wait until the step commits, and each model takes four places
-- in the shared table of locks. A queue that is in use is left for the next step.
do $$
declare
  c_step_max constant int := 100;
  c_lasts_max constant interval := '200 ms';
  v_started timestamptz := clock_timestamp();
  v_model int;
  v_made int := 0;
begin
  perform set_config('lock_timeout', '20ms', true);
  for v_model in
    select id from sluice.models where to_regclass('sluice.waits_' || id) is null order by random() limit c_step_max
  loop
    begin
      execute format('lock table sluice.%I in share mode', 'queue_' || v_model);
      -- (rank, sluice.tenant_key(tenant), ready_at, task_id)
      execute format('create index on sluice.%I (rank, (hashtextextended(tenant, 0) >> 1), ready_at, task_id)', 'queue_' || v_model);
      execute format('create unlogged sequence sluice.%I minvalue 0 start 1000000000000000', 'waits_' || v_model);
      v_made := v_made + 1;
    exception when lock_not_available then
      null;
    end;
    exit when clock_timestamp() > v_started + c_lasts_max;
  end loop;
  if exists (select from sluice.models where to_regclass('sluice.waits_' || id) is null) then
    if v_made = 0 then
      raise lock_not_available using message = 'the queues are in use';
    end if;
    perform set_config('sluice.step', 'again', true);
  end if;
end
$$;
