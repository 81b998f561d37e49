-- Of the sweep: parts that may take long rest for a multiple of their time.

-- in_turn: does a part of the sweep, unless it rests, and then lets it rest p_times as long as it
-- took: at most 30 minutes, and not for less than a second, which is the sweep's own pace; of a
-- line only if it took long.
-- Params:  p_part: a function of the time, or of p_line and the time, that meter_for knows.
-- Returns: what the part returned, 0 if nothing; null: it rests.
create or replace function sluice.in_turn(
  p_part text, p_times int, p_now timestamptz, p_line int default null)
returns int
language plpgsql volatile
as $$
declare
  c_long constant interval := '50 ms';
  v_started timestamptz := clock_timestamp();
  v_meter int := sluice.meter_for(p_part);
  v_rest sluice.meter := sluice.meter_of(coalesce(p_line, 0), v_meter);
  v_done text;
  v_rest_s double precision;
begin
  -- One that began later than now: the clock was set back.
  if p_now >= v_rest.at and p_now < v_rest.at + make_interval(secs => v_rest.v) then
    return null;
  end if;
  execute format('select sluice.%I(%s$2)', p_part, case when p_line is not null then '$1, ' end)
    into v_done using p_line, p_now;
  v_rest_s := p_times * extract(epoch from clock_timestamp() - v_started);
  if v_rest_s > 1 and (p_line is null or clock_timestamp() > v_started + c_long) then
    perform sluice.note_meter(coalesce(p_line, 0), v_meter, p_now, least(v_rest_s, 1800), 0);
  end if;
  return coalesce(nullif(v_done, '')::int, 0);
end
$$;
