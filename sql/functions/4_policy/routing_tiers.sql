-- Tiers of a route: groups of its models. The tasks are the first tier's as long as one of its
-- models counts (routing_meters.sql): it asked within the last second, is open, has a permit and a
-- call left, does not pass the tasks over for others, and is not full: its workers have slots for
-- it, this one or others. Then come those of the next tier, which share by weight as in a route of
-- their own. So a tier that is shut, limited, full or not served leaves at once what it cannot
-- start; and what it could start, but not end before its deadline.

-- is_left_to_earlier: whether an earlier tier of route line p_line than p_tier counts.
-- Params:  p_worker: who claims; null: somebody.
create or replace function sluice.is_left_to_earlier(
  p_line int, p_tier int, p_now timestamptz, p_worker bigint default null)
returns boolean
language plpgsql volatile
as $$
begin
  return sluice.route_weight(p_line, 0, p_now, 1, p_tier - 1, p_worker) > 0;
end
$$;

-- usual_call: how long the calls of a model took in the last hour, on average; null: it had none,
-- or the history does not know yet.
create or replace function sluice.usual_call(p_model text, p_now timestamptz) returns interval
language plpgsql stable
as $$
begin
  return (select sum(h.call_s) / nullif(sum(h.called), 0) * interval '1 second'
    from sluice.history_row h
    where h.step = 'minute' and h.model = p_model and h.tenant is null
      and h.at > p_now - interval '1 hour');
end
$$;

-- urgent_before: tasks of route line p_line with deadlines before this time are too urgent for each
-- model of the earlier tiers, if p_model is quicker than these; null: it is not, or none waits. A
-- claim reaches those among the first rows of their lanes, as everywhere.
create or replace function sluice.urgent_before(
  p_line int, p_model int, p_tier int, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  v_own interval;
  v_earlier interval;
begin
  if not sluice.has_deadlines(p_line, p_now, 'infinity') then
    return null;
  end if;
  select min(sluice.usual_call(m.name, p_now)) filter (where m.id = p_model),
    min(coalesce(sluice.usual_call(m.name, p_now), '0')) filter (where r.tier < p_tier)
  into v_own, v_earlier
  from sluice.route_line l join sluice.routes r on r.route = l.route and r.weight > 0
  join sluice.models m on m.name = r.model and (l.api is null or l.api = m.api)
  where l.n = -p_line and (m.id = p_model or r.tier < p_tier);
  return case when coalesce(v_own, '0') < v_earlier
    and sluice.has_deadlines(p_line, p_now, p_now + v_earlier) then p_now + v_earlier end;
end
$$;
