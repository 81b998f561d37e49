-- Whether deadlines wait in a line: a hint, so that no claim looks for them. While somebody held a
-- snapshot, a look into their index walked over those of tasks that were gone: 0.8 s a claim after
-- 340,000 had been cancelled.
--
-- The newest row of the line's meter for deadlines says that all of them lie between v (in seconds
-- since 1970) and at. Who puts a row into the line widens that, and the sweep makes it exact. So it
-- may say too much: then claims look at more rows than they need. It may say too little for as long
-- as the sweep rests: after a crash, of what is committed while the sweep looks, and if two widen
-- it at the same moment, for submits do not have the line's lock. Then the lane's order is that of
-- arrival meanwhile.

-- has_deadlines: whether tasks may wait in line p_line whose deadlines lie between these times.
create or replace function sluice.has_deadlines(
  p_line int, p_from timestamptz, p_to timestamptz)
returns boolean
language plpgsql volatile
as $$
declare
  v_hint sluice.meter := sluice.meter_of(p_line, sluice.meter_for('deadlines'));
begin
  return coalesce(v_hint.at > p_from and v_hint.v < extract(epoch from p_to), false);
end
$$;

-- deadlines_text: the same question, as generated functions ask it: without a call.
create or replace function sluice.deadlines_text() returns text
language sql immutable
as $$
  select '(select m.at >= p_now from sluice.meter m where m.line = %2$s and m.model = '
    || sluice.meter_for('deadlines') || ' order by m.line, m.model, m.n desc limit 1)'
$$;

-- with_slack: p_last and some time more, so that tasks submitted one by one, each with a later
-- deadline, write the hint once in so long. Of times near the end of all times: infinity.
create or replace function sluice.with_slack(p_last timestamptz) returns timestamptz
language sql immutable
as $$
  select case when p_last < '200000-01-01 UTC' then p_last + interval '10 seconds'
    else 'infinity' end
$$;

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
  if current_setting('transaction_isolation') <> 'read committed' then
    v_first := '-infinity';  -- the hint that it sees may be an old one: it must not narrow a newer
    p_last := 'infinity';
  end if;
  v_hint := sluice.meter_of(p_line, sluice.meter_for('deadlines'));
  if (p_last <= v_hint.at and v_first >= v_hint.v) is not true then
    perform sluice.note_meter(p_line, sluice.meter_for('deadlines'),
      case when p_last <= v_hint.at then v_hint.at
      else sluice.with_slack(p_last) end, least(v_first, v_hint.v), 0);
  end if;
end
$$;

-- rescan_deadlines: makes the hint of p_line exact, where it is not.
create or replace function sluice.rescan_deadlines(p_line int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_hint sluice.meter := sluice.meter_of(p_line, sluice.meter_for('deadlines'));
  v_first double precision;
  v_last timestamptz;
begin
  execute format('select coalesce(extract(epoch from min(q.deadline)), ''infinity''),
      coalesce(max(q.deadline), ''-infinity'')
    from sluice.%I q where q.deadline >= $1', sluice.place_of(p_line))
  into v_first, v_last using p_now;
  if coalesce(v_hint.v, 'infinity') <> v_first or coalesce(v_hint.at, '-infinity')
    not between v_last and sluice.with_slack(v_last) then
    perform sluice.note_meter(p_line, sluice.meter_for('deadlines'), v_last, v_first, 0);
  end if;
exception when undefined_table then  -- its model or route was deleted just now
  null;
end
$$;
