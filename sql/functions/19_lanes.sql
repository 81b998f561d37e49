-- The lanes of a line: (rank, tenant). Finding those that wait is a skip scan (lanes_<l>, 28_generated.sql); marks let it step over
-- what was consumed. What it costs grows with the lanes looked at, 8 us each, not with those that wait: hence windows.

-- window_min, window_max: lanes of one line that one look of a claim takes in, by how many tasks it wants: a fair share among eight
-- costs 0.1 ms more than one lane, among 64 a millisecond.
create or replace function sluice.window_min() returns int
language sql immutable parallel safe
as $$ select 8 $$;

create or replace function sluice.window_max() returns int
language sql immutable parallel safe
as $$ select 64 $$;

-- lane_heads: the first row of each waiting lane of p_line, by (rank, tenant); at most p_max.
-- Params:  p_rank, p_tenant: where to begin (null: at the beginning); p_last: no lane of a rank beyond. Requires no lock.
create or replace function sluice.lane_heads(
  p_line int, p_max int, p_rank smallint default -100, p_tenant bigint default null, p_last smallint default 100)
returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_heads sluice.head[];
begin
  execute format('select sluice.lanes_%s($1, $2, $3, $4)', sluice.line_name(p_line)) into v_heads
  using p_rank, coalesce(p_tenant, sluice.first_tenant()), p_last, p_max;
  return v_heads;
exception when undefined_function then  -- its model or route was deleted just now
  return '{}';
end
$$;

-- weighed: those of p_heads whose tenants may have a call now, with their weights, and the room that quotas leave them.
create or replace function sluice.weighed(p_heads sluice.head[], p_now timestamptz) returns sluice.head[]
language plpgsql volatile
as $$
begin
  if not exists (select from sluice.tenants) then
    return p_heads;
  end if;
  return array(
    select row(h.line, h.rank, h.tenant, h.ready_at, h.request_bytes, coalesce(t.weight, 1), q.room)::sluice.head
    from unnest(p_heads) with ordinality h
    left join sluice.tenants t on sluice.tenant_key(t.name) = h.tenant
    left join lateral sluice.tenant_room(t.name, p_now) q on t.rpm is not null or t.tpm is not null
    where q.room is distinct from 0 order by h.ordinality);
end
$$;

-- open_heads: the lanes of p_line from (p_rank, p_tenant) on whose tenants may have a call now: p_max, if there are so many among the
-- next 1,000. Those that may not are no reason to look at fewer: 64 of them would hide an open one.
create or replace function sluice.open_heads(
  p_line int, p_max int, p_now timestamptz, p_rank smallint default -100, p_tenant bigint default null,
  p_last smallint default 100) returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_some sluice.head[] := sluice.lane_heads(p_line, p_max, p_rank, p_tenant, p_last);
  v_count int := cardinality(v_some);
  v_seen int := v_count;
  v_open sluice.head[] := sluice.weighed(v_some, p_now);
begin
  while v_count = p_max and cardinality(v_open) < p_max and v_seen < 1000 loop
    v_some := sluice.lane_heads(p_line, p_max, v_some[v_count].rank, v_some[v_count].tenant + 1, p_last);
    v_count := cardinality(v_some);
    v_seen := v_seen + v_count;
    v_open := v_open || sluice.weighed(v_some, p_now);
  end loop;
  return v_open[:p_max];
end
$$;

-- lane_window: p_max lanes of p_line in one rank, from tenant p_from on and round from the beginning.
create or replace function sluice.lane_window(p_line int, p_rank smallint, p_from bigint, p_max int, p_now timestamptz)
returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_heads sluice.head[] := sluice.open_heads(p_line, p_max, p_now, p_rank, p_from, p_rank);
begin
  if cardinality(v_heads) < p_max and p_from > sluice.first_tenant() then
    v_heads := v_heads || array(
      select h from unnest(sluice.open_heads(p_line, p_max - cardinality(v_heads), p_now, p_rank, null, p_rank)) h
      where h.tenant < p_from);
  end if;
  return v_heads;
end
$$;

-- old_lanes: a few lanes of the ranks behind p_rank, from a random place on, whose age lifts them to p_rank: or lanes that have grown old
-- would never be seen behind a window.
create or replace function sluice.old_lanes(p_line int, p_rank smallint, p_last smallint, p_looks int, p_now timestamptz)
returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_max int := greatest(1, p_looks / 8);
  v_heads sluice.head[] := '{}';
begin
  if p_rank < p_last then
    v_heads := sluice.open_heads(p_line, v_max, p_now, (p_rank + 1 + floor(random() * (p_last - p_rank)))::smallint,
      ((random() * 2 - 1) * 4611686018427387903)::bigint, p_last);
    if v_heads = '{}' then
      v_heads := sluice.open_heads(p_line, v_max, p_now, (p_rank + 1)::smallint, null, p_last);
    end if;
  end if;
  return array(select h from unnest(v_heads) h where sluice.aged_rank(h.rank, h.ready_at, p_now, v_ageing) <= p_rank);
end
$$;

-- waiting_lanes: the lanes of p_line that a claim looks at: all, if they are no more than p_looks. Else those of the best ranks, and of
-- the rank in which there are too many a window, from where the last one ended.
-- Params:  p_last: no lane of a rank beyond; p_want: how many tasks the claim wants; p_left: how many of them it still lacks.
--          Requires the line's lock.
-- Returns: heads; places: how many tasks the window is due; null: these are all lanes.
-- A lane of mean weight is due p_want / p_looks places, another one as much as its weight is more or less; a window ends where its lanes
-- are due all that is left. Simulated, 10,000 tenants with weights 1 : 10: from a random key their shares differ for ever (0.5 to 1.7 of
-- the promise), from a cursor with as many places for each window 0.65 to 1.56, by weight 0.94 to 1.01.
create or replace function sluice.waiting_lanes(
  p_line int, p_looks int, p_last smallint, p_want int, p_left int, p_now timestamptz,
  out heads sluice.head[], out places double precision)
language plpgsql volatile
as $$
declare
  v_meter sluice.meter := sluice.meter_of(p_line, -1);
  v_from bigint := coalesce(v_meter.tenant, sluice.first_tenant());
  v_rank smallint;
  v_better sluice.head[] := '{}';
  v_window sluice.head[] := '{}';
  v_mean double precision;
  v_ends int;
begin
  if v_meter.tenant is not null then  -- mostly all lanes of the best rank are one window after the other
    v_rank := (sluice.open_heads(p_line, 1, p_now, p_last => p_last))[1].rank;
    v_window := sluice.lane_window(p_line, v_rank, v_from, p_looks, p_now);
  end if;
  if cardinality(v_window) < p_looks then
    heads := sluice.open_heads(p_line, p_looks + 1, p_now, p_last => p_last);
    if cardinality(heads) <= p_looks then
      if v_meter.tenant is not null then
        perform sluice.note_meter(p_line, -1, p_now, v_meter.v, 0, null);
      end if;
      return;
    end if;
    v_rank := heads[p_looks + 1].rank;
    v_better := array(select h from unnest(heads) h where h.rank < v_rank);
    v_window := sluice.lane_window(p_line, v_rank, v_from, greatest(1, p_looks - cardinality(v_better)), p_now);
  end if;
  v_mean := coalesce(v_meter.v, (select avg(coalesce(h.weight, 1)) from unnest(v_window) h));
  select count(*) filter (where w.due - w.own < p_left), max(w.due) filter (where w.due - w.own < p_left) into v_ends, places
  from (select sum(h.own) over (order by h.n) as due, h.own
        from (select coalesce(weight, 1) / v_mean * p_want / p_looks as own, n from unnest(v_window) with ordinality
                h(line, rank, tenant, ready_at, request_bytes, weight, room, n)) h) w;
  perform sluice.note_meter(p_line, -1, p_now, v_mean + ((select avg(coalesce(h.weight, 1)) from unnest(v_window) h) - v_mean) / 16, 0,
    v_window[v_ends].tenant + 1);
  places := case when v_better = '{}' then places end;
  heads := v_better || v_window[:v_ends] || sluice.old_lanes(p_line, v_rank, p_last, p_looks, p_now);
end
$$;

-- first_turn: when a claim could take the first task of p_line, by the tenants' quotas: p_now, or later; null: nothing waits.
-- Of more than 64 lanes: a second later, for claims look at others each time. Requires no lock.
create or replace function sluice.first_turn(p_line int, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  v_heads sluice.head[] := sluice.lane_heads(p_line, 1);
  v_at timestamptz;
begin
  if v_heads = '{}' then
    return null;
  elsif not exists (select from sluice.tenants t where t.rpm is not null or t.tpm is not null) then
    return p_now;
  end if;
  v_heads := sluice.lane_heads(p_line, 500);
  if sluice.weighed(v_heads, p_now) <> '{}' then
    return p_now;
  end if;
  v_at := (select min((sluice.tenant_room(t.name, p_now)).next_at)
           from unnest(v_heads) h join sluice.tenants t on sluice.tenant_key(t.name) = h.tenant);
  return greatest(p_now, case when cardinality(v_heads) = 500 then least(v_at, p_now + interval '1 second') else v_at end);
end
$$;

-- restless: which of the models p_ids may have work: those whose lines were rung for, and of each route's p_per_route (null: all). Costs
-- what there is to do, not what there is: with 1,000 models of which 10 work it takes 0.1 ms.
create or replace function sluice.restless(p_ids int[], p_per_route int default null) returns int[]
language plpgsql volatile
as $$
begin
  return array(
    select r.line from sluice.rung r where r.line = any (p_ids)
    union
    select fed.id
    from (select distinct line from sluice.rung where line < 0) r
    cross join lateral (
      select f as id from unnest(sluice.fed_models(r.line, p_ids)) f
      order by case when p_per_route is not null then random() end limit p_per_route) fed);
end
$$;
