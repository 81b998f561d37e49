-- Of the sweep: parts that may take long rest for a multiple of their time.

-- rests: whether a part of the sweep rests.
-- Params:  p_line, p_part: its meter: -2 of a line is that line's walk; -3 of line 0 is the walk of
--          all lines, -4 expiry, -5 the settling of cancellations, -6 advance_in_time, -8 the look
--          for deadlines, of a line its own, -9 forget_later_gone, -10 the walk of late rows.
create or replace function sluice.rests(p_line int, p_part int, p_now timestamptz) returns boolean
language plpgsql volatile
as $$
declare
  v_rest sluice.meter := sluice.meter_of(p_line, p_part);
begin
  -- One that began later than now: the clock was set back.
  return coalesce(p_now >= v_rest.at
    and p_now < v_rest.at + make_interval(secs => v_rest.v), false);
end
$$;

-- rest: notes that a part of the sweep rests p_times as long as it took: at most 30 minutes, and
-- not for less than a second, which is the sweep's own pace.
create or replace function sluice.rest(
  p_line int, p_part int, p_times int, p_started timestamptz, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_rest_s double precision := p_times * extract(epoch from clock_timestamp() - p_started);
begin
  if v_rest_s > 1 then
    perform sluice.note_meter(p_line, p_part, p_now, least(v_rest_s, 1800), 0);
  end if;
end
$$;
