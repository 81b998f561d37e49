-- Whether deadlines wait in a line: a hint, so that no claim looks for them. While somebody held a
-- snapshot, a look into their index walked over those of tasks that were gone: 0.8 s a claim after
-- 340,000 had been cancelled.
--
-- The newest row of the line's meter -7 says that all of them lie between v (in seconds since 1970)
-- and at. Who puts a row into the line widens that, and the sweep makes it exact. So it may say too
-- much: then claims look at more rows than they need. It may say too little for as long as the
-- sweep rests: after a crash, and of what is committed while the sweep looks. Then the lane's order
-- is that of arrival meanwhile.

-- has_deadlines: whether tasks may wait in line p_line whose deadlines lie between these times.
create or replace function sluice.has_deadlines(
  p_line int, p_from timestamptz, p_to timestamptz)
returns boolean
language plpgsql volatile
as $$
declare
  v_hint sluice.meter := sluice.meter_of(p_line, -7);
begin
  return coalesce(v_hint.at > p_from and v_hint.v < extract(epoch from p_to), false);
end
$$;

-- deadlines_text: the same question, as generated functions ask it: without a call.
create or replace function sluice.deadlines_text() returns text
language sql immutable
as $$
  select '(select m.at >= p_now from sluice.meter m where m.line = %2$s and m.model = -7
    order by m.line, m.model, m.n desc limit 1)'
$$;

-- deadlines_slack: by how much further than needed the hint is widened, so that tasks submitted one
-- by one, each with a later deadline, write it once in so long.
create or replace function sluice.deadlines_slack() returns interval
language sql immutable parallel safe
as $$ select interval '10 seconds' $$;

-- note_deadlines: widens the hint of p_line by rows that come into it.
-- Params:  p_first, p_last: their first and last deadlines; null: they have none.
create or replace function sluice.note_deadlines(
  p_line int, p_first timestamptz, p_last timestamptz)
returns void
language plpgsql volatile
as $$
declare
  v_hint sluice.meter;
  v_first double precision := extract(epoch from p_first);
begin
  if p_first is null then
    return;
  end if;
  v_hint := sluice.meter_of(p_line, -7);
  if (p_last <= v_hint.at and v_first >= v_hint.v) is not true then
    perform sluice.note_meter(p_line, -7, case when p_last <= v_hint.at then v_hint.at
      else p_last + sluice.deadlines_slack() end, least(v_first, v_hint.v), 0);
  end if;
end
$$;

-- rescan_deadlines: makes the hint of p_line exact, where it is not.
create or replace function sluice.rescan_deadlines(p_line int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_hint sluice.meter := sluice.meter_of(p_line, -7);
  v_first double precision;
  v_last timestamptz;
begin
  execute format('select coalesce(extract(epoch from min(q.deadline)), ''infinity''),
      coalesce(max(q.deadline), ''-infinity'')
    from sluice.%I q where q.deadline >= $1', sluice.place_of(p_line))
  into v_first, v_last using p_now;
  if coalesce(v_hint.v, 'infinity') <> v_first or coalesce(v_hint.at, '-infinity')
    not between v_last and v_last + sluice.deadlines_slack() then
    perform sluice.note_meter(p_line, -7, v_last, v_first, 0);
  end if;
exception when undefined_table then  -- its model or route was deleted just now
  null;
end
$$;
