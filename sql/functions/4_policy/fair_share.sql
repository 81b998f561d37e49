-- Fairness between tenants: weighted, counted in tokens, work-conserving, and with a memory. It is
-- decided by the claim, so a changed weight, priority or quota acts on all waiting tasks. The
-- effective rank comes first, strictly. Within a rank tenants share by start-time fair queueing
-- (Goyal, Vin, Cheng 1996):
-- - A tenant's clock at a model is what it has received there, in tokens / weight. The tokens of a
--   task are those of its request, by size (fair_share_clocks.sql); its answer does not count,
--   unless a quota of tokens is shared (turns_as_reserved).
-- - A tenant's tasks follow each other in the order (deadline, ready_at, id). The first one starts
--   at the tenant's clock and ends its length later, which is its tokens / weight; there the next
--   one starts. The tasks of all tenants are taken in the order of their starts. So the clocks of
--   two waiting tenants differ by their longest tasks at most, however small the claims are.
-- - The level is what all waiting tenants have reached: the start of the last task taken. No clock
--   is behind it: a tenant that was away, or had no permit, makes up for nothing, but has the next
--   turn.
-- - Each model has clocks of its own, because it is the model's capacity that is shared, also among
--   tenants of several lines.
-- Where there are more lanes than a claim looks at, it goes through them in rounds
-- (4_policy/lanes.sql; surplus round robin, Adiseshu, Parulkar, Varghese 1996): the tasks of a lane
-- that start before the end of the round are its turns; the others wait for the next round.
-- Clocks are rows of an unlogged table, like marks: nothing is updated in place, a rollback undoes
-- them, and after a crash all tenants begin equal. While only one lane waits no clock is written
-- (D-005).

-- rows_max: how many rows a claim of p_places looks at in a lane that is likely to give p_share of
-- them. With few lanes a quarter more and a few: if later tasks are shorter the claim looks again.
-- With more than 16 lanes, where it cannot look often, half more and a few.
create or replace function sluice.rows_max(p_places int, p_share double precision, p_lanes bigint)
returns int
language sql immutable parallel safe
as $$
  select least(p_places, case when p_lanes <= 16 then 6 + ceil(1.25 * p_places * p_share)
    else 2 + ceil((64 + 1.5 * p_places) * p_share) end)::int
$$;

-- best_rank: the best rank that waits; age lifts no lane above it.
-- Params:  p_heads: line after line, each line's in order.
create or replace function sluice.best_rank(p_heads sluice.head[]) returns smallint
language plpgsql immutable
as $$
begin
  if p_heads[1].line = p_heads[cardinality(p_heads)].line then
    return p_heads[1].rank;
  end if;
  return (select min(h.rank) from unnest(p_heads) h);
end
$$;

-- first_head: when one task is wanted: the lane of p_heads whose turn it is, as the turn of its
-- first task. Null: none has a turn left in this round. The turn's finish is not set (note_clock
-- sets it); its level is null if the level does not move.
-- Params:  as fair_turns.
create or replace function sluice.first_head(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_now timestamptz)
returns sluice.turn
language plpgsql volatile
as $$
declare
  v_best smallint := sluice.best_rank(p_heads);
  v_begins double precision[];  -- by lanes; null: none is of a round
  v_ends double precision[];
  v_head sluice.head;
  v_lane int;
  v_start double precision;
  v_level double precision;
begin
  if p_rounds <> '{}' then
    select array_agg(r.begins order by h.lane), array_agg(r.ends order by h.lane)
    into v_begins, v_ends
    from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight,
      headroom, lane)
    left join unnest(p_rounds) r on r.line = h.line and r.rank = h.rank;
  end if;
  -- Few columns: each costs 1,000 instructions for each node that it passes.
  select h.lane, coalesce(greatest(h.clock, coalesce(v_begins[h.lane], h.level)), 0) as start,
    h.level into v_lane, v_start, v_level
  from (
    select h.lane, h.tenant, h.ready_at, (
        select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = v_best
          and c.tenant = h.tenant
        order by c.model, c.rank, c.tenant, c.n desc limit 1) as clock, (
        select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = v_best
          and c.tenant = sluice.level_key()
        order by c.model, c.rank, c.tenant, c.n desc limit 1) as level
    from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight,
      headroom, lane)
    where h.rank = v_best
      or sluice.aged_rank(h.rank, h.ready_at, p_now, (select ageing from sluice.settings))
        <= v_best offset 0) h
  where coalesce(greatest(h.clock, coalesce(v_begins[h.lane], h.level), 0) < v_ends[h.lane], true)
  order by coalesce(v_begins[h.lane], greatest(h.clock, h.level), 0),
    case when v_ends[h.lane] < 'infinity' then h.tenant end, start, h.ready_at limit 1;
  if v_lane is null then
    return null;
  end if;
  v_head := p_heads[v_lane];
  return row(null, v_head.line, v_lane, v_head.rank, v_head.tenant, v_head.ready_at, null,
    v_head.request_bytes, 1, v_best, v_start, null,
    nullif(greatest(coalesce(v_begins[v_lane], v_start), v_level), v_level), false)::sluice.turn;
end
$$;

-- peek: the first rows of the lanes p_heads, for each lane at most the number beside it in
-- p_limits.
create or replace function sluice.peek(p_heads sluice.head[], p_limits int[], p_now timestamptz)
returns sluice.turn[]
language plpgsql volatile
as $$
declare
  v_line record;
  v_some sluice.turn[];
  v_rows sluice.turn[] := '{}';
begin
  for v_line in
    select h.line, array_agg(h.lane::int) as lanes, array_agg(h.rank) as ranks,
      array_agg(h.tenant) as tenants,
      array_agg(h.ready_at) as firsts, array_agg(p_limits[h.lane]) as limits
    from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight,
      headroom, lane)
    where p_limits[h.lane] > 0 group by h.line
  loop
    execute format('select sluice.peek_%s($1, $2, $3, $4, $5, $6)',
      sluice.line_name(v_line.line)) into v_some
    using v_line.lanes, v_line.ranks, v_line.tenants, v_line.firsts, v_line.limits, p_now;
    v_rows := v_rows || v_some;
  end loop;
  return v_rows;
end
$$;

-- fair_turns: the next tasks of the lanes p_heads, at most p_places, in the order in which they are
-- to be taken. If all lanes of a line are looked at, the order is that of their starts; in a round
-- it is lane after lane, as far as each has turns left. The lanes that age lifts to the best rank
-- are considered first; mostly a claim takes only from these (D-003).
-- Params:  p_model: its id; p_rounds: of those lines that have more lanes than p_heads. Requires
--          the model's lock.
create or replace function sluice.fair_turns(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_places int, p_now timestamptz)
returns sluice.turn[]
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_best smallint := sluice.best_rank(p_heads);
  v_first boolean[] := array(
    select sluice.aged_rank(h.rank, h.ready_at, p_now, v_ageing) <= v_best
    from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight,
      headroom, lane) order by h.lane);
  v_turns sluice.turn[];
begin
  if false = any (v_first) then
    v_turns := sluice.turns_of(p_model, p_heads, p_rounds, p_places, v_first, v_best, v_best,
      v_ageing, p_now);
    if cardinality(v_turns) = p_places
      or exists (select from unnest(v_turns) t where t.has_more) then
      return v_turns;
    end if;
  end if;
  return sluice.turns_of(p_model, p_heads, p_rounds, p_places,
    array_fill(true, array[cardinality(p_heads)]), v_best, sluice.rank_max(), v_ageing, p_now);
end
$$;

-- turns_of: fair_turns for the lanes of p_heads that p_chosen selects, and the effective ranks
-- p_best to p_worst.
-- peek reads the first rows of each lane only. Where a lane has more, its next rows are unknown, so
-- no task may be taken that could come after them. Each such lane's last row is marked (is_last),
-- and the turns end at the earliest of these; that turn gets has_more (hides), which makes the
-- claim look again.
-- Lanes of tenants with a quota are the exception: they get no more places than permits
-- (3_limits/tenant_quotas.sql).
-- For speed, facts about lanes are kept in arrays: a join of a claim's rows with its 64 lanes took
-- 50 ms. And rows are sorted with few columns, none of them null, and made turns afterwards:
-- PostgreSQL steps over nulls at each comparison, which took a third of a claim of 250. (An unused
-- column of a subquery becomes a null.)
create or replace function sluice.turns_of(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_places int,
  p_chosen boolean[], p_best smallint, p_worst smallint,
  p_ageing interval, p_now timestamptz) returns sluice.turn[]
language plpgsql volatile
as $$
declare
  v_lanes record := sluice.lane_facts(p_model, p_heads, p_rounds, p_places, p_chosen, p_best);
begin
  return (
    with timed as materialized (
      select t.*, t.ends_at - t.length as starts_at, coalesce(v_lanes.begins[t.lane],
        t.ends_at - t.length) as turn_at
      from (
        select s.task_id, s.lane, s.tenant, s.due, s.request_bytes, s.aged, s.is_last, s.length,
          first_value(s.base) over own + sum(s.length) over own as ends_at
        from (
          select c.*, sluice.task_tokens(c.request_bytes) / v_lanes.weights[c.lane] as length,
            case when c.aged = p_best then v_lanes.bases[c.lane] else coalesce(greatest((
                select k.v from sluice.tenant_clock k where k.model = p_model and k.rank = c.aged
                  and k.tenant = c.tenant
                order by k.model, k.rank, k.tenant, k.n desc limit 1),
              coalesce(v_lanes.begins[c.lane], sluice.clock_of(p_model, c.aged,
                sluice.level_key()))), 0) end as base
          from (
            select r.task_id, r.lane, r.tenant, r.ready_at, r.deadline as due, r.request_bytes,
              case when r.rank = p_best then p_best
                else greatest(p_best, sluice.aged_rank(r.rank, r.ready_at, p_now,
                  p_ageing)) end as aged,
              r.has_more and v_lanes.headrooms[r.lane] is null as is_last
            from unnest(sluice.peek(p_heads, v_lanes.limits, p_now)) r offset 0) c
          where c.aged <= p_worst) s
        window own as (partition by s.tenant, s.aged order by s.due, s.ready_at,
          s.task_id rows unbounded preceding)) t),
    hiding as materialized (select min(t.aged) as rank from timed t where t.is_last),
    bound as materialized (
      select min(t.ends_at) filter (where v_lanes.begins[t.lane] is null
        and t.aged = (select h.rank from hiding h)) as until,
        min(t.tenant) filter (where t.ends_at < v_lanes.ends[t.lane]) as tenant
      from timed t where t.is_last)
    select array(
      select row(n.task_id, v_lanes.lines[n.lane], n.lane, v_lanes.ranks[n.lane], n.tenant, null,
        nullif(n.due, 'infinity'), n.request_bytes, null, n.aged, n.starts_at, n.ends_at, n.turn_at,
        n.hides)::sluice.turn
      from (
        select t.task_id, t.lane, t.tenant, t.due, t.request_bytes, t.aged, t.starts_at,
          t.ends_at, t.turn_at, coalesce(case when v_lanes.begins[t.lane] is null then t.is_last
            and t.ends_at = (select b.until from bound b)
            else t.tenant = (select b.tenant from bound b) end, false) as hides
        from timed t
        where coalesce(t.aged <= (select h.rank from hiding h), true)
          and case when v_lanes.begins[t.lane] is null
            then coalesce(t.aged < (select h.rank from hiding h) or t.starts_at < (select b.until
              from bound b), true)
            else t.starts_at < v_lanes.ends[t.lane]
              and coalesce(t.tenant <= (select b.tenant from bound b), true) end
        order by t.aged, t.turn_at, case when v_lanes.ends[t.lane] < 'infinity' then t.tenant
          else 0 end, t.starts_at, t.task_id
        limit p_places) n));
end
$$;

-- lane_facts: what fair_turns needs to know of the lanes p_heads, as arrays beside them: their
-- tenants' weights and headrooms; how many rows to look at; the bounds of their rounds; the starts
-- of their tenants' first tasks of effective rank p_best.
-- The number of rows to look at is the lane's part by weight, more if its first task is short. In a
-- round it is a few more than the turns the lane has if its tasks are as long as the first, or as
-- the average. Where p_chosen is false it is 0.
create or replace function sluice.lane_facts(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_places int,
  p_chosen boolean[], p_best smallint,
  out lines int[], out ranks smallint[], out weights double precision[], out headrooms int[],
    out limits int[], out begins double precision[],
  out ends double precision[], out bases double precision[])
language plpgsql volatile
as $$
declare
  v_level double precision := sluice.clock_of(p_model, p_best, sluice.level_key());
begin
  select array_agg(h.line), array_agg(h.rank), array_agg(h.weight), array_agg(h.headroom),
    array_agg(case when not p_chosen[h.lane] then 0 else least(h.headroom,
      sluice.rows_max(p_places, greatest(h.rate / h.rates, h.weight / h.weights), h.lanes),
      2 + ceil(1.25 * (h.ends - h.base) * greatest(h.rate, h.rates / h.lanes)))::int end),
    array_agg(h.begins), array_agg(h.ends), array_agg(h.base)
  into lines, ranks, weights, headrooms, limits, begins, ends, bases
  from (select h.*, r.begins, r.ends, sum(h.rate) filter (where p_chosen[h.lane]) over () as rates,
          sum(h.weight) filter (where p_chosen[h.lane]) over () as weights,
            count(*) filter (where p_chosen[h.lane]) over () as lanes,
          coalesce(greatest((
            select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = p_best
              and c.tenant = h.tenant
            order by c.model, c.rank, c.tenant, c.n desc limit 1),
              coalesce(r.begins, v_level)), 0) as base
        from (select h.line, h.rank, h.tenant, coalesce(h.weight, 1) as weight, h.headroom, h.lane,
                coalesce(h.weight, 1) / sluice.task_tokens(h.request_bytes) as rate
              from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes,
                weight, headroom, lane)) h
        left join unnest(p_rounds) r on r.line = h.line and r.rank = h.rank
        order by h.lane) h;
end
$$;

-- Ageing: for each settings.ageing that a task has waited its rank is one better, but never better
-- than the best rank that waits: there it shares with what is there, by weight. So nobody waits for
-- ever behind a stream of higher priorities, and nobody's old tasks come before all new ones
-- (D-007). Nothing is rewritten: claims compare ranks with the waiting counted in.

-- aged_rank: p_rank with the waiting since p_ready_at counted in; its callers see to it that nobody
-- comes before the best rank that waits. date_part, not extract: that one
-- is numeric, and slow.
create or replace function sluice.aged_rank(
  p_rank smallint, p_ready_at timestamptz, p_now timestamptz, p_ageing interval) returns smallint
language sql immutable parallel safe
as $$
  select greatest(-sluice.rank_max(), p_rank
    - greatest(0,
      floor(date_part('epoch', p_now - p_ready_at) / date_part('epoch', p_ageing))))::smallint
$$;
