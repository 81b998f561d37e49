-- Two counters that each completion advances by the number of its tasks get a companion that counts
-- 16 at a time (3_limits/in_flight.sql). In steps: each sequence takes two places in the shared
-- table of locks.
do $$
declare
  v_model int;
  c_step_max constant int := 500;
begin
  create unlogged sequence if not exists sluice.results_solved_by_16 increment 16 minvalue 0
    start 16;
  for v_model in
    select m.id from sluice.models m
    where to_regclass('sluice.ended_by_16_' || m.id) is null order by m.id limit c_step_max
  loop
    execute format('create unlogged sequence sluice.%I increment 16 minvalue 0 start 16',
      'ended_by_16_' || v_model);
  end loop;
  if exists (select from sluice.models m
    where to_regclass('sluice.ended_by_16_' || m.id) is null) then
    perform set_config('sluice.step', 'again', true);
  end if;
end
$$;
