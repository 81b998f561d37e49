-- The lanes of the backlog: (line, rank, tenant). Finding those that wait is a skip scan, one probe of backlog_of_line for
-- each; marks let it step over what was consumed.

-- lanes_look_max: lanes of one line that a round of admission looks at. A probe takes about 15 us.
create or replace function sluice.lanes_look_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- lane_heads: the first row of each waiting lane of p_line, by (rank, tenant).
-- Params:  p_max: lanes at most; p_rank, p_tenant: where to begin (null: at the beginning); p_now: moves the marks of the
--          lanes it passes up to their first row, or to p_now - lag, and requires the line's lock; null: looks only.
-- A mark may go up to the first row seen, taken or not: what an uncommitted transaction deletes is still seen.
create or replace function sluice.lane_heads(
  p_line text, p_max int, p_rank smallint, p_tenant bigint, p_now timestamptz) returns setof sluice.lane_head
language plpgsql volatile rows 10
as $$
declare
  v_rank smallint := coalesce(p_rank, -100);
  v_tenant bigint := coalesce(p_tenant, -4611686018427387904);
  v_lane record;
  v_head sluice.lane_head;
  v_left int := p_max;
begin
  for v_lane in
    select l.id, l.rank, l.tenant, sluice.mark(l.id) as mark from sluice.lane l
    where l.line = p_line and (l.rank, l.tenant) >= (v_rank, v_tenant)
    union all select null, 101, -4611686018427387904, null
    order by rank, tenant
  loop
    loop  -- the gap before this lane
      v_head := sluice.next_lane(p_line, v_rank, v_tenant, v_lane.rank::smallint, v_lane.tenant);
      exit when v_head.line is null or v_left = 0;
      return next v_head;
      v_left := v_left - 1;
      v_rank := v_head.rank;
      v_tenant := v_head.tenant + 1;
    end loop;
    exit when v_left = 0 or v_lane.id is null;
    select p_line, v_lane.rank, v_lane.tenant, b.ready_at into v_head from sluice.backlog b
    where b.due and sluice.line_of(b.model, b.route) = p_line and b.rank = v_lane.rank
      and sluice.tenant_key(b.tenant) = v_lane.tenant and b.ready_at >= v_lane.mark
    order by b.ready_at, b.task_id limit 1;
    if found then
      return next v_head;
      v_left := v_left - 1;
    end if;
    perform sluice.set_mark(v_lane.id, least(p_now - sluice.mark_lag(), v_head.ready_at - interval '1 microsecond'))
    where p_now is not null;
    v_rank := v_lane.rank;
    v_tenant := v_lane.tenant + 1;
  end loop;
end
$$;

-- next_lane: the first row of p_line at or behind (p_rank, p_tenant) and before (p_end_rank, p_end_tenant); nulls: none.
-- Three probes with plain bounds: a scan does not stop at the second column of an upper bound that is a row comparison,
-- it walks the rest of the rank (14 ms behind 100,000 rows). Nearly always the second is the only one: a line without lanes
-- is looked at from its first rank's first tenant on.
create or replace function sluice.next_lane(
  p_line text, p_rank smallint, p_tenant bigint, p_end_rank smallint, p_end_tenant bigint) returns sluice.lane_head
language plpgsql volatile
as $$
declare
  v_head sluice.lane_head;
  v_midway int := (p_tenant > -4611686018427387904)::int;
begin
  if v_midway = 1 then
    select p_line, b.rank, sluice.tenant_key(b.tenant), b.ready_at into v_head from sluice.backlog b
    where b.due and sluice.line_of(b.model, b.route) = p_line and b.rank = p_rank
      and sluice.tenant_key(b.tenant) >= p_tenant
      and sluice.tenant_key(b.tenant) < case when p_rank = p_end_rank then p_end_tenant else 4611686018427387904 end
    order by sluice.tenant_key(b.tenant), b.ready_at, b.task_id limit 1;
    if found or p_rank >= p_end_rank then
      return v_head;
    end if;
  end if;
  select p_line, b.rank, sluice.tenant_key(b.tenant), b.ready_at into v_head from sluice.backlog b
  where b.due and sluice.line_of(b.model, b.route) = p_line and b.rank >= p_rank + v_midway and b.rank < p_end_rank
  order by b.rank, sluice.tenant_key(b.tenant), b.ready_at, b.task_id limit 1;
  if found or p_end_rank > 100 then
    return v_head;
  end if;
  select p_line, b.rank, sluice.tenant_key(b.tenant), b.ready_at into v_head from sluice.backlog b
  where b.due and sluice.line_of(b.model, b.route) = p_line and b.rank = p_end_rank
    and sluice.tenant_key(b.tenant) < p_end_tenant
  order by sluice.tenant_key(b.tenant), b.ready_at, b.task_id limit 1;
  return v_head;
end
$$;

-- waiting_lanes: the lanes of p_lines that a round of admission looks at. All of them up to 500 a line; of more the first
-- 500, and 500 from a random place on: mostly in the rank where the first look ended, now and then behind it, so that
-- neither many tenants nor many lanes of higher priority hide a lane for ever. Requires the lines' locks.
create or replace function sluice.waiting_lanes(p_lines text[], p_now timestamptz) returns sluice.lane_head[]
language plpgsql volatile
as $$
declare
  v_half int := sluice.lanes_look_max() / 2;
  v_line text;
  v_heads sluice.lane_head[];
  v_rank smallint;
  v_all sluice.lane_head[] := '{}';
begin
  foreach v_line in array coalesce(p_lines, '{}') loop
    v_heads := array(select h from sluice.lane_heads(v_line, v_half, null, null, p_now) h);
    if cardinality(v_heads) = v_half then
      v_rank := v_heads[v_half].rank;
      if random() < 0.25 then
        v_rank := least(100, v_rank + 1 + floor(random() * (100 - v_rank)));
      end if;
      v_heads := array(
        select h from unnest(v_heads) h
        union select h from sluice.lane_heads(
          v_line, v_half, v_rank, ((random() * 2 - 1) * 4611686018427387904)::bigint, p_now) h);
    end if;
    v_all := v_all || v_heads;
  end loop;
  return v_all;
end
$$;

-- is_waiting: whether anything waits in one of p_lines for room. Requires no lock.
create or replace function sluice.is_waiting(p_lines text[]) returns boolean
language plpgsql volatile
as $$
begin
  return exists (select from unnest(p_lines) l cross join lateral sluice.lane_heads(l, 1, null, null, null) h);
end
$$;

-- first_turn: the first task of p_line that admission could move now, by the tenants' quotas. Requires no lock.
-- Returns: ready_at: p_now; task_id null and a later ready_at: all who wait, of the first 500 lanes, have no permit until
--          then, or there are more lanes: a second later, for rounds look at others each time; all null: nothing waits.
create or replace function sluice.first_turn(
  p_line text, p_now timestamptz, out task_id bigint, out fence int, out ready_at timestamptz)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_heads sluice.lane_head[] := array(select h from sluice.lane_heads(p_line, 1, null, null, null) h);
  v_lane record;
begin
  if exists (select from sluice.tenants t join unnest(v_heads) h on sluice.tenant_key(t.name) = h.tenant
             where t.rpm is not null or t.tpm is not null) then
    v_heads := array(select h from sluice.lane_heads(p_line, sluice.lanes_look_max() / 2, null, null, null) h);
  end if;
  for v_lane in
    select h.*, (select (sluice.tenant_room(t.name, p_now)).next_at from sluice.tenants t
                 where sluice.tenant_key(t.name) = h.tenant and (t.rpm is not null or t.tpm is not null)) as next_at
    from unnest(v_heads) with ordinality h order by h.ordinality
  loop
    first_turn.ready_at := coalesce(least(first_turn.ready_at, v_lane.next_at), p_now);
    continue when v_lane.next_at is not null;
    first_turn.ready_at := p_now;
    select b.task_id, b.fence into first_turn.task_id, first_turn.fence from sluice.backlog b
    where b.due and sluice.line_of(b.model, b.route) = p_line and b.rank = v_lane.rank
      and sluice.tenant_key(b.tenant) = v_lane.tenant and b.ready_at = v_lane.ready_at
    order by b.task_id limit 1;
    return;
  end loop;
  if cardinality(v_heads) = sluice.lanes_look_max() / 2 then
    first_turn.ready_at := least(first_turn.ready_at, p_now + interval '1 second');
  end if;
end
$$;

-- note_put_back: after rows were put back into their places in the backlog: lowers the marks of their lanes, and rings.
-- Requires the lines' locks.
create or replace function sluice.note_put_back(p_rows sluice.backlog[]) returns void
language plpgsql volatile
as $$
begin
  perform sluice.lower_marks(b.line, array_agg(b.rank), array_agg(b.first), array_agg(b.tenant)), sluice.ring_line(b.line)
  from (select sluice.line_of(r.model, r.route) as line, r.rank, sluice.tenant_key(r.tenant) as tenant,
          min(r.ready_at) as first
        from unnest(p_rows) r group by 1, 2, 3) b
  group by b.line;
end
$$;

-- restless: which of the models p_ids may have work: those that were rung for, and of each route that waits p_per_route
-- (null: all). Costs what there is to do, not what there is: with 1,000 models of which 10 work it takes 0.1 ms.
create or replace function sluice.restless(p_ids int[], p_per_route int default null) returns int[]
language plpgsql volatile
as $$
begin
  return array(
    select r.model from sluice.rung r where r.model = any (p_ids)
    union
    select fed.id
    from (select route from sluice.routes where weight > 0 group by route having sluice.is_waiting(array['route_' || route])) r
    cross join lateral (
      select m.id from sluice.routes w join sluice.models m on m.name = w.model
      where w.route = r.route and w.weight > 0 and m.id = any (p_ids)
      order by random() limit p_per_route) fed);
end
$$;

-- backlog_lines: the lines that feed model p_model: its own and those of its routes.
create or replace function sluice.backlog_lines(p_model int) returns text[]
language plpgsql stable
as $$
#variable_conflict use_column
begin
  return (select array['backlog_' || p_model]
      || array(select 'route_' || r.route from sluice.routes r join sluice.models m on m.name = r.model
               where m.id = p_model and r.weight > 0 order by r.route));
end
$$;
