-- Fairness between tenants: weighted, counted in tokens, work-conserving, and remembered. Decided
-- when a claim takes, so a changed weight, priority or quota acts on everything that waits.
--
-- Effective rank comes first, strictly; within a rank tenants share by start-time fair queueing
-- (Goyal, Vin, Cheng 1996). A tenant's clock at a model is what it has received there, in tokens /
-- weight. Its tasks stand one behind the other (deadline, ready_at, id): the first starts at its
-- clock, each is as long as its tokens / weight, and of all tenants' tasks those with the least
-- starts are next. Two tenants that wait are never further apart than their longest tasks, however
-- small the claims and whatever the tasks' lengths. The level is what all who wait have reached:
-- the start of the last task taken. Nobody's clock is behind it: who was away, or had no permit,
-- makes up for nothing, and has the next turn. A model has clocks of its own, for it is its
-- capacity that is shared: also among the tenants of several lines. Where there are more lanes than
-- a claim looks at, it goes through them in rounds (4_policy/lanes.sql; surplus round robin,
-- Adiseshu, Parulkar, Varghese 1996): a lane's tasks that start before the end of the round are its
-- turns, and the rest waits for the next one.
--
-- Clocks are rows of an unlogged table, as marks are: nothing is updated in place, what rolls back
-- takes its clocks along, and a crash makes all begin equal. One lane writes none.
-- Rejected: no memory (a level of tokens poured over all tenants in each claim, and a sample of the
-- partly covered tasks). Right on average, but chance adds up: received / promised of ten tenants
-- after 1,000 tasks one by one 0.77 to 1.18, of a hundred after 6,000 0.4 to 1.84, and of tenants
-- that mix 25 and 2,500 tokens 0.04 to 1.54; here 0.98 to 1.01. A better sequence than chance does
-- not help where the lengths of the tasks follow from what was drawn. Places given by the length of
-- the heads: who mixes 100 and 10,000 tokens got 5 times its tokens.

-- rows_max: rows that a claim of p_places looks at in a lane that is likely to give p_share of
-- them. Of few lanes a quarter more and some: where the tasks after the first are shorter it looks
-- again. Of more than 16, where it cannot look often, half more and some.
create or replace function sluice.rows_max(p_places int, p_share double precision, p_lanes bigint)
returns int
language sql immutable parallel safe
as $$
  select least(p_places, case when p_lanes <= 16 then 6 + ceil(1.25 * p_places * p_share)
    else 2 + ceil((64 + 1.5 * p_places) * p_share) end)::int
$$;

-- best_rank: the best rank that waits: age lifts no lane above it. Params: p_heads: line by line, a
-- line's in order.
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

-- first_head: the lane of p_heads whose turn it is when one task is wanted, as the turn of its
-- first task. Null: none has a turn left in this round. Its finish is open (note_clock), its level
-- null where that stays. Params: as fair_turns.
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

-- peek: the first rows of the lanes p_heads, of each at most as many as beside it in p_limits.
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

-- fair_turns: the next at most p_places tasks of the lanes p_heads, in the order in which they are
-- to be taken: of what all of a line's lanes are in sight by their starts, in a round lane after
-- lane, as far as each has turns left. First of the lanes that age lifts to the best rank, mostly
-- all that it takes: of six lanes in two ranks 330 rows for 250, not 1,300.
-- Params:  p_model: its id; p_rounds: those of its lines that have more lanes than p_heads.
--          Requires the model's lock.
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
    array_fill(true, array[cardinality(p_heads)]), v_best, 100::smallint, v_ageing, p_now);
end
$$;

-- turns_of: fair_turns among those of the lanes p_heads beside which p_chosen says so, of the
-- effective ranks p_best to p_worst. A lane of which not all rows were looked at hides its further
-- ones, so nothing that comes after them may pass it: the claim looks again (has_more). But for the
-- lanes of a tenant with a quota, who gets no more places than permits
-- (3_limits/tenant_quotas.sql). What belongs to a lane is kept in arrays: a join of a claim's rows
-- with its 64 lanes was most of what it cost (50 ms). Rows are sorted as few columns, none of them
-- null or unused (a subquery's unused one becomes a null), and become turns when they are chosen:
-- PostgreSQL walks over nulls at each comparison, which was a third of a claim of 250.
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

-- lane_facts: what fair_turns needs to know of the lanes p_heads, in arrays beside them: their
-- tenants' weights and headrooms; how many rows to look at; the bounds of the rounds that they
-- belong to; where their tenants' first tasks of effective rank p_best start.
-- Rows to look at: a lane's part of the weights, or more where its first task is short; in a round
-- a few more than it has turns for, were its tasks as long as the first or as the average; 0 where
-- p_chosen is false.
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
-- ever behind a stream of higher priorities, and nobody's old tasks come before all new ones.
-- (Until schema 44 age lifted without end: of 1,000 places a tenant's 5 new tasks got none beside
-- 2,000 that were 11 minutes old.) Nothing is rewritten: claims compare ranks with the waiting
-- counted in.

-- aged_rank: p_rank with the waiting since p_ready_at counted in; its callers see to it that nobody
-- comes before the best rank that waits. date_part, not extract: that one
-- is numeric, and slow.
create or replace function sluice.aged_rank(
  p_rank smallint, p_ready_at timestamptz, p_now timestamptz, p_ageing interval) returns smallint
language sql immutable parallel safe
as $$
  select greatest(-100, p_rank
    - greatest(0,
      floor(date_part('epoch', p_now - p_ready_at) / date_part('epoch', p_ageing))))::smallint
$$;
