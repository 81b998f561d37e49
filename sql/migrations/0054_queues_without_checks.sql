-- A line's queue held each row's model against the line: a statement sets such a constraint up anew from the catalog, a twenty-fifth of a
-- submit, and only functions that are generated for the line write there. In steps: each takes a queue from its submits until it commits.
-- A queue that is in use is left for the next step.
do $$
declare
  c_step_max constant int := 100;
  c_lasts_max constant interval := '200 ms';
  v_started timestamptz := clock_timestamp();
  v_check record;
  v_dropped int := 0;
begin
  perform set_config('lock_timeout', '20ms', true);
  for v_check in
    select c.conrelid::regclass as queue, c.conname as name from pg_constraint c join pg_inherits i on i.inhrelid = c.conrelid
    where i.inhparent = 'sluice.queue'::regclass and c.contype = 'c' and c.conname like 'it_is_the_queue_of_%'
    order by random() limit c_step_max
  loop
    begin
      execute format('alter table %s drop constraint %I', v_check.queue, v_check.name);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      null;
    end;
    exit when clock_timestamp() > v_started + c_lasts_max;
  end loop;
  if exists (
    select from pg_constraint c join pg_inherits i on i.inhrelid = c.conrelid
    where i.inhparent = 'sluice.queue'::regclass and c.contype = 'c' and c.conname like 'it_is_the_queue_of_%') then
    if v_dropped = 0 then
      raise lock_not_available using message = 'the queues are in use';
    end if;
    perform set_config('sluice.step', 'again', true);
  end if;
end
$$;
