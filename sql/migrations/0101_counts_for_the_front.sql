-- Until when nobody counts tasks for clients of the HTTP front, in microseconds since the epoch: of
-- the system and of each model (3_limits/gauges.sql). In steps: each sequence takes two places in
-- the shared table of locks.
do $$
declare
  v_model int;
  c_step_max constant int := 500;
begin
  create unlogged sequence if not exists sluice.critical_all minvalue 0;
  for v_model in
    select m.id from sluice.models m
    where to_regclass('sluice.critical_' || m.id) is null order by m.id limit c_step_max
  loop
    execute format('create unlogged sequence if not exists sluice.%I minvalue 0',
      'critical_' || v_model);
  end loop;
  if exists (select from sluice.models m
    where to_regclass('sluice.critical_' || m.id) is null) then
    perform set_config('sluice.step', 'again', true);
  end if;
end
$$;
