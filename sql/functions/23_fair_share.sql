-- Fairness between tenants: weighted, counted in tokens, work-conserving, and remembered. Decided when a claim takes, so a changed
-- weight, priority or quota acts on everything that waits.
--
-- Effective rank comes first, strictly; within a rank tenants share by start-time fair queueing (Goyal, Vin, Cheng 1996). A tenant's
-- clock at a model is what it has received there, in tokens / weight. Its tasks stand one behind the other (deadline, ready_at, id): the
-- first starts at its clock, each is as long as its tokens / weight, and of all tenants' tasks those with the least starts are next. Two
-- tenants that wait are never further apart than their longest tasks, however small the claims and whatever the tasks' lengths.
-- The level is what all who wait have reached: the start of the last task taken. Nobody's clock is behind it: who was away, or had no
-- permit, makes up for nothing, and has the next turn.
-- A model has clocks of its own, for it is its capacity that is shared: also among the tenants of several lines.
-- Where there are more lanes than a claim looks at, it goes through them in rounds (19_lanes.sql; surplus round robin, Adiseshu, Parulkar,
-- Varghese 1996): a lane's tasks that start before the end of the round are its turns, and the rest waits for the next one.
--
-- Clocks are rows of an unlogged table, as marks are: nothing is updated in place, what rolls back takes its clocks along, and a crash
-- makes all begin equal. One lane writes none.
-- Rejected: no memory (a level of tokens poured over all tenants in each claim, and a sample of the partly covered tasks). Right on
-- average, but chance adds up: received / promised of ten tenants after 1,000 tasks one by one 0.77 to 1.18, of a hundred after 6,000
-- 0.4 to 1.84, and of tenants that mix 25 and 2,500 tokens 0.04 to 1.54; here 0.98 to 1.01. A better sequence than chance does not help
-- where the lengths of the tasks follow from what was drawn. Places dealt by the length of the heads: who mixes 100 and 10,000 tokens
-- got 5 times its tokens.

-- task_tokens: what a task weighs in the sharing, about: 4 bytes a token.
create or replace function sluice.task_tokens(p_request_bytes int) returns double precision
language sql immutable parallel safe
as $$ select greatest(1, p_request_bytes / 4)::double precision $$;

-- level_key: stands for all tenants among a model's clocks. No tenant has this key.
create or replace function sluice.level_key() returns bigint
language sql immutable parallel safe
as $$ select -4611686018427387905 $$;

-- clock_of: a tenant's clock at p_model, or the level; null: there is none, it is at the level; or at 0.
create or replace function sluice.clock_of(p_model int, p_rank smallint, p_tenant bigint) returns double precision
language plpgsql volatile
as $$
begin
  return (
    select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = p_rank and c.tenant = p_tenant
    order by c.model, c.rank, c.tenant, c.n desc limit 1);
end
$$;

-- note_clocks: the tasks p_turns are taken: moves their tenants' clocks, and the level. Requires the model's lock.
create or replace function sluice.note_clocks(p_model int, p_turns sluice.turn[]) returns void
language plpgsql volatile
as $$
declare
  v_turn sluice.turn := p_turns[1];
begin
  if cardinality(p_turns) = 1 then  -- 40,000 instructions instead of 100,000
    insert into sluice.tenant_clock (model, rank, tenant, n, v)
    select p_model, v_turn.aged, c.tenant, nextval('sluice.mark_id'), c.v
    from (values (v_turn.tenant, v_turn.finish), (sluice.level_key(), v_turn.level)) c(tenant, v)
    where c.tenant <> sluice.level_key() or c.v > coalesce(sluice.clock_of(p_model, v_turn.aged, c.tenant), 0);
    return;
  end if;
  insert into sluice.tenant_clock (model, rank, tenant, n, v)
  select p_model, c.aged, c.tenant, nextval('sluice.mark_id'), c.v
  from (select t.aged, t.tenant, max(t.finish) as v from unnest(p_turns) t group by t.aged, t.tenant
        union all
        select l.aged, sluice.level_key(), l.level
        from (select t.aged, max(t.level) as level from unnest(p_turns) t group by t.aged) l
        where l.level > coalesce(sluice.clock_of(p_model, l.aged, sluice.level_key()), 0)) c;
end
$$;

-- rows_max: rows that a claim of p_places looks at in a lane that is likely to give p_share of them. Of few lanes a quarter more and
-- some: where the tasks after the first are shorter it looks again. Of more than 16, where it cannot look often, twice as many and some.
create or replace function sluice.rows_max(p_places int, p_share double precision, p_lanes bigint) returns int
language sql immutable parallel safe
as $$
  select least(p_places, case when p_lanes <= 16 then 6 + ceil(1.25 * p_places * p_share)
    else 2 + ceil((64 + 2 * p_places) * p_share) end)::int
$$;

-- best_rank: the best rank that waits: age lifts no lane above it. Params: p_heads: line by line, a line's in order.
create or replace function sluice.best_rank(p_heads sluice.head[]) returns smallint
language plpgsql immutable
as $$
begin
  return case when p_heads[1].line = p_heads[cardinality(p_heads)].line then p_heads[1].rank
    else (select min(h.rank) from unnest(p_heads) h) end;
end
$$;

-- first_head: the lane of p_heads whose turn it is when one task is wanted, as the turn of its first task. Null: none has a turn left in
-- this round. Params: as fair_turns.
create or replace function sluice.first_head(p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_now timestamptz)
returns sluice.turn
language plpgsql volatile
as $$
declare
  v_best smallint := sluice.best_rank(p_heads);
  v_level double precision := sluice.clock_of(p_model, v_best, sluice.level_key());
begin
  return (
    select row(null, s.line, s.lane, s.rank, s.tenant, s.ready_at, null, s.request_bytes, 1, v_best, s.start,
      s.start + sluice.task_tokens(s.request_bytes) / s.weight, coalesce(s.begins, s.start), false)::sluice.turn
    from (
      select h.*, r.begins, r.ends, coalesce(greatest(r.begins, (
          select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = v_best and c.tenant = h.tenant
          order by c.model, c.rank, c.tenant, c.n desc limit 1), case when r.begins is null then v_level end), 0) as start
      from (
        select h.line, h.rank, h.tenant, h.ready_at, h.request_bytes, coalesce(h.weight, 1) as weight, h.lane::int
        from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight, room, lane)
        where h.rank = v_best
          or sluice.aged_rank(h.rank, h.ready_at, p_now, (select ageing from sluice.settings)) <= v_best) h
      left join unnest(p_rounds) r on r.line = h.line and r.rank = h.rank offset 0) s
    where coalesce(s.start < s.ends, true)
    order by coalesce(s.begins, s.start), case when s.ends < 'infinity' then s.tenant end, s.start, s.ready_at limit 1);
end
$$;

-- look_at: the first rows of the lanes p_heads, of each at most as many as beside it in p_limits.
create or replace function sluice.look_at(p_heads sluice.head[], p_limits int[], p_now timestamptz) returns sluice.turn[]
language plpgsql volatile
as $$
declare
  v_line record;
  v_some sluice.turn[];
  v_rows sluice.turn[] := '{}';
begin
  for v_line in
    select h.line, array_agg(h.lane::int) as lanes, array_agg(h.rank) as ranks, array_agg(h.tenant) as tenants,
      array_agg(h.ready_at) as firsts, array_agg(p_limits[h.lane]) as limits
    from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight, room, lane)
    where p_limits[h.lane] > 0 group by h.line
  loop
    execute format('select sluice.look_%s($1, $2, $3, $4, $5, $6)', sluice.line_name(v_line.line)) into v_some
    using v_line.lanes, v_line.ranks, v_line.tenants, v_line.firsts, v_line.limits, p_now;
    v_rows := v_rows || v_some;
  end loop;
  return v_rows;
end
$$;

-- fair_turns: the next at most p_places tasks of the lanes p_heads, in the order in which they are to be taken: of what all of a line's
-- lanes are in sight by their starts, in a round lane after lane, as far as each has turns left.
-- First of the lanes that age lifts to the best rank, mostly all that it takes: of six lanes in two ranks 330 rows for 250, not 1,300.
-- Params:  p_model: its id; p_rounds: those of its lines that have more lanes than p_heads. Requires the model's lock.
create or replace function sluice.fair_turns(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_places int, p_now timestamptz) returns sluice.turn[]
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_best smallint := sluice.best_rank(p_heads);
  v_first boolean[] := array(
    select sluice.aged_rank(h.rank, h.ready_at, p_now, v_ageing) <= v_best
    from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight, room, lane) order by h.lane);
  v_turns sluice.turn[];
begin
  if false = any (v_first) then
    v_turns := sluice.turns_of(p_model, p_heads, p_rounds, p_places, v_first, v_best, v_best, v_ageing, p_now);
    if cardinality(v_turns) = p_places or exists (select from unnest(v_turns) t where t.has_more) then
      return v_turns;
    end if;
  end if;
  return sluice.turns_of(p_model, p_heads, p_rounds, p_places, array_fill(true, array[cardinality(p_heads)]), v_best, 100::smallint,
    v_ageing, p_now);
end
$$;

-- turns_of: fair_turns among those of the lanes p_heads beside which p_chosen says so, of the effective ranks p_best to p_worst.
-- A lane of which not all rows were looked at hides its further ones, so nothing that comes after them may pass it: the claim looks
-- again (has_more). But for the lanes of a tenant with a quota, who gets no more places than permits (27_tenant_quotas.sql).
-- What belongs to a lane is kept in arrays: a join of a claim's rows with its 64 lanes was most of what it cost (50 ms).
create or replace function sluice.turns_of(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_places int, p_chosen boolean[], p_best smallint, p_worst smallint,
  p_ageing interval, p_now timestamptz) returns sluice.turn[]
language plpgsql volatile
as $$
declare
  v_level double precision := sluice.clock_of(p_model, p_best, sluice.level_key());
  v_lanes record := sluice.lane_facts(p_heads, p_rounds, p_places, p_chosen);
begin
  return (
    -- Few columns, none of them null: sorting 390 rows of a whole turn was a third of a claim of 250.
    with seen as (
      select c.tenant, coalesce(c.deadline, 'infinity') as due, c.ready_at, c.task_id,
        sluice.task_tokens(c.request_bytes) / v_lanes.weights[c.lane] as length, c.lane, c.request_bytes,
        case when c.rank = p_best then p_best
          else greatest(p_best, sluice.aged_rank(c.rank, c.ready_at, p_now, p_ageing)) end as aged,
        c.has_more and v_lanes.rooms[c.lane] is null as is_last
      from unnest(sluice.look_at(p_heads, v_lanes.limits, p_now)) c),
    based as (
      select n.*, case when n.nth = 1 then coalesce(greatest(
          (select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = n.aged and c.tenant = n.tenant
           order by c.model, c.rank, c.tenant, c.n desc limit 1),
          coalesce(v_lanes.begins[n.lane], case when n.aged = p_best then v_level
            else sluice.clock_of(p_model, n.aged, sluice.level_key()) end)), 0) else 0 end as base
      from (select s.*, row_number() over own as nth, sum(s.length) over own as lengths
            from seen s where s.aged <= p_worst
            window own as (partition by s.tenant, s.aged order by s.due, s.ready_at, s.task_id)) n),
    timed as materialized (  -- in the same order: it is sorted once
      select b.*, b.lengths + sum(b.base) over own as ends_at, b.lengths - b.length + sum(b.base) over own as starts_at
      from based b window own as (partition by b.tenant, b.aged order by b.due, b.ready_at, b.task_id)),
    hiding as (select min(t.aged) as rank from timed t where t.is_last),
    bound as materialized (
      select h.rank, min(t.ends_at) filter (where v_lanes.begins[t.lane] is null and t.is_last and t.aged = h.rank) as until,
        min(t.tenant) filter (where t.is_last and t.ends_at < v_lanes.ends[t.lane]) as tenant
      from timed t, hiding h group by h.rank)
    select array(
      select row(t.task_id, v_lanes.lines[t.lane], t.lane, v_lanes.ranks[t.lane], t.tenant, t.ready_at, nullif(t.due, 'infinity'),
        t.request_bytes, null, t.aged, t.starts_at, t.ends_at, t.turn_at,
        coalesce(case when v_lanes.begins[t.lane] is null then t.is_last and t.ends_at = b.until else t.tenant = b.tenant end,
          false))::sluice.turn
      from (select *, coalesce(v_lanes.begins[lane], starts_at) as turn_at from timed) t, bound b
      where coalesce(t.aged <= b.rank, true)
        and case when v_lanes.begins[t.lane] is null then coalesce(t.aged < b.rank or t.starts_at < b.until, true)
          else t.starts_at < v_lanes.ends[t.lane] and coalesce(t.tenant <= b.tenant, true) end
      order by t.aged, t.turn_at, case when v_lanes.ends[t.lane] < 'infinity' then t.tenant end, t.starts_at, t.task_id
      limit p_places));
end
$$;

-- lane_facts: what fair_turns needs to know of the lanes p_heads, in arrays beside them: their tenants' weights and rooms, how many rows
-- to look at (its part of the weights, or more where its first task is short; 0 where p_chosen is false), and the bounds of the rounds
-- that they belong to.
create or replace function sluice.lane_facts(p_heads sluice.head[], p_rounds sluice.lane_round[], p_places int, p_chosen boolean[],
  out lines int[], out ranks smallint[], out weights double precision[], out rooms int[], out limits int[], out begins double precision[],
  out ends double precision[])
language plpgsql volatile
as $$
begin
  select array_agg(h.line order by h.lane), array_agg(h.rank order by h.lane), array_agg(h.weight order by h.lane),
    array_agg(h.room order by h.lane),
    array_agg(case when p_chosen[h.lane] then least(h.room, sluice.rows_max(p_places, greatest(h.rate / h.rates, h.weight / h.weights),
      h.lanes)) else 0 end order by h.lane),
    array_agg(r.begins order by h.lane), array_agg(r.ends order by h.lane)
  into lines, ranks, weights, rooms, limits, begins, ends
  from (select h.*, sum(h.rate) filter (where p_chosen[h.lane]) over () as rates, sum(h.weight) filter (where p_chosen[h.lane]) over ()
          as weights, count(*) filter (where p_chosen[h.lane]) over () as lanes
        from (select h.line, h.rank, coalesce(h.weight, 1) as weight, h.room, h.lane,
                coalesce(h.weight, 1) / sluice.task_tokens(h.request_bytes) as rate
              from unnest(p_heads) with ordinality h(line, rank, tenant, ready_at, request_bytes, weight, room, lane)) h) h
  left join unnest(p_rounds) r on r.line = h.line and r.rank = h.rank;
end
$$;
