-- How a claim takes rows of one model: many of the only lane, or one of several lanes. Many of
-- several: take_by_turns.sql.

-- looks: how many lanes a claim of p_want tasks looks at, at a time.
create or replace function sluice.looks(p_want int) returns int
language sql immutable parallel safe
as $$ select least(greatest(p_want, 8), sluice.window_max()) $$;

-- free_rank: the best rank of p_line in which the first rows of some lane are not all locked; null:
-- there is none among its first 256 lanes, 20 ms if all are locked. An open transaction that has
-- cancelled a task of each of a few priorities hid all tasks of lower ones.
-- twin: tenant_key (change all alike)
create or replace function sluice.free_rank(p_line int, p_last smallint, p_now timestamptz)
returns smallint
language plpgsql volatile
as $$
declare
  c_lanes_max constant int[] := '{1,256}';  -- mostly the first lane is free
  c_rows_max constant int := 16;
  v_lanes_max int;
  v_rank smallint;
begin
  foreach v_lanes_max in array c_lanes_max loop
    execute format('
      select h.rank from unnest($1) h
      cross join lateral (
        select from (
          select q.ctid as at from sluice.%1$I q
          where q.rank = h.rank and (hashtextextended(q.tenant, 0) >> 1) = h.tenant
            and q.ready_at >= h.ready_at
          order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id limit $2) f
        join sluice.%1$I q on q.ctid = f.at limit 1 for update of q skip locked) r limit 1',
      sluice.place_of(p_line))
    into v_rank using sluice.lane_heads(p_line, v_lanes_max, p_last => p_last, p_now => p_now),
      c_rows_max;
    exit when v_rank is not null;
  end loop;
  return v_rank;
end
$$;

-- take_turns: moves up to p_want rows of the lines p_shares, which are open to p_model, into
-- leases: of each tenant and route as many as are its turn. If several lanes wait it looks at all
-- of them; if they are too many for one look, at the next ones of the round, until it has p_want
-- rows or has seen window_max lanes. If none of the lanes it has seen has a turn left in the round,
-- they get more turns, so that no permit is unused while anything waits. It ends when the model's
-- tokens are used up (D-384). Requires the model's lock.
-- Params:  p_heads: the first rows of the lanes, if a look has found them; p_is_free: there is no
--          quota except the model's of requests; p_last: the worst rank to take.
create or replace function sluice.take_turns(
  p_model sluice.models, p_worker bigint, p_shares sluice.claim_share[], p_heads sluice.head[],
  p_want int, p_is_free boolean, p_last smallint, p_now timestamptz)
returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v_shares sluice.claim_share[] := p_shares;
  v_looks int := sluice.looks(p_want);
  v_leases sluice.lease[] := '{}';
  v_heads sluice.head[] := case when cardinality(p_heads) <= v_looks
    then sluice.weighed(p_heads, p_now) end;
  v_rounds sluice.lane_round[] := '{}';  -- of the lines that have more lanes
  v_share sluice.claim_share;
  v_lanes record;
  v_some record;
  v_left int := p_want;
  v_looked int := 0;
  v_more boolean := true;
  v_first smallint := -sluice.rank_max();  -- the best rank to look at
  -- How many more looks may find nothing that fits into the budgets. Each moves what does not fit
  -- out of the line; after a visit that met such tasks the first look already moves many.
  v_in_vain int := case when p_model.is_budgeted
    and p_model.id = any (sluice.over_models(false)) then 1 else 2 end;
begin
  while v_more loop
    if v_heads is null then
      v_heads := '{}';
      v_rounds := '{}';
      foreach v_share in array v_shares loop
        v_lanes := sluice.waiting_lanes(p_model.id, v_share.line, v_looks, p_last, p_want, p_now,
          v_first);
        v_heads := v_heads || v_lanes.heads;
        if (v_lanes.round).line is not null then
          v_rounds := v_rounds || v_lanes.round;
        end if;
      end loop;
    end if;
    exit when v_heads = '{}';
    v_looked := v_looked + cardinality(v_heads);
    v_some := sluice.take_some(p_model, p_worker, v_heads, v_rounds, v_shares, v_left,
      p_is_free, p_now);
    v_more := (v_rounds <> '{}' or v_some.cut) and v_looked < sluice.window_max();
    if v_left = p_want and v_some.leases = '{}' and v_rounds <> '{}' and not v_more then
      v_some := sluice.take_some(p_model, p_worker, v_heads, array(  -- every lane has turns left
          select row(r.model, r.line, r.n, r.rank, r.next, r.begins, 'infinity', r.passed,
            r.taken)::sluice.lane_round from unnest(v_rounds) r), v_shares, v_left, p_is_free,
        p_now);
    end if;
    v_leases := v_leases || v_some.leases;
    v_left := p_want - cardinality(v_leases);
    v_shares := v_some.shares;
    v_in_vain := v_in_vain - (p_model.is_budgeted and v_some.leases = '{}')::int;
    v_more := v_more and v_left > 0 and v_in_vain > 0 and (p_model.tpm is null
      or sluice.permits_now(sluice.token_quota(p_model), p_now) > 0);
    if v_rounds <> '{}' then
      perform sluice.note_rounds(v_rounds, v_heads, v_some.turns, v_left = 0 or v_some.cut
        or p_model.tpm is not null);
    end if;
    if v_leases = '{}' and v_first = -sluice.rank_max() then
      v_first := coalesce((select min(sluice.free_rank(s.line, p_last, p_now))
        from unnest(p_shares) s), v_first);
      v_more := v_more or v_first > (select min(h.rank) from unnest(v_heads) h);
    end if;
    v_heads := null;
  end loop;
  return v_leases;
end
$$;

-- take_some: takes up to p_places rows of the lanes p_heads: directly, of one lane or one row; else
-- by turns. Charges the quotas of tokens and of tenants.
-- Params:  p_rounds: of lines that have more lanes; p_shares: the maximum for each line; p_is_free:
--          as take_turns.
-- Returns: leases; turns: those of the rows taken, unless there is only one lane; shares: what is
--          left of them; cut: rows were left although it was their turn: their line's share or
--          their tenant's quota was used up, or not all rows of a lane were looked at.
create or replace function sluice.take_some(
  p_model sluice.models, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.claim_share[], p_places int, p_is_free boolean, p_now timestamptz,
  out leases sluice.lease[], out turns sluice.turn[], out shares sluice.claim_share[],
    out cut boolean)
language plpgsql volatile
as $$
declare
  v_alone boolean := cardinality(p_heads) = 1 and p_rounds = '{}';
  v_limited boolean := not p_is_free and (p_model.tpm is not null or p_model.is_budgeted
    or exists (select from unnest(p_heads) h where h.headroom is not null));
  v_some record;
begin
  if v_limited or p_places > 1 and not v_alone
    or p_shares[1].line < 0 and sluice.bounds_deadlines(p_shares) then
    v_some := sluice.take_by_turns(p_model, p_worker, p_heads, p_rounds, p_shares, p_places,
      v_limited, p_now);
    if v_limited and v_some.leases <> '{}' then
      perform sluice.charge_reserved(p_model, v_some.leases, p_now);
      if p_model.is_budgeted then
        perform sluice.hold_budgets(p_model, v_some.leases, v_some.needs, p_now);
      end if;
    end if;
  else
    v_some := sluice.take_straight(p_model.id, p_worker, p_heads, p_rounds, p_shares,
      p_places, p_now);
  end if;
  leases := v_some.leases;
  turns := v_some.turns;
  cut := v_some.cut;
  shares := p_shares;
  if p_shares[1].line < 0 then
    shares := array(
      select row(s.line, s.most - t.taken, s.since, s.before, s.prefer)::sluice.claim_share
      from unnest(p_shares) s cross join lateral (select count(*)::int as taken
        from unnest(leases) l where l.line = s.line) t
      where coalesce(s.most > t.taken, true));
  end if;
end
$$;

-- take_straight: takes up to p_places rows of the only lane, or one row, of the lane whose turn it
-- is.
-- Params:  as take_some.
-- Returns: as take_some.
create or replace function sluice.take_straight(
  p_model int, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.claim_share[], p_places int,
  p_now timestamptz, out leases sluice.lease[], out turns sluice.turn[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_head sluice.head := p_heads[1];
  v_turn sluice.turn;
  v_most int;
begin
  leases := '{}';
  turns := '{}';
  cut := false;
  if cardinality(p_heads) <> 1 or p_rounds <> '{}' then
    v_turn := sluice.first_head(p_model, p_heads, p_rounds, p_now);
    v_head := p_heads[v_turn.lane];
  end if;
  if v_head.line is null then
    return;
  elsif v_head.line < 0 then
    v_most := (select s.most from unnest(p_shares) s where s.line = v_head.line);
  end if;
  execute 'call sluice.take_' || sluice.line_name(v_head.line)
    || '($1, null, null, null, $2, $3, $4, $5)' into p_heads, leases
  using array[v_head], least(p_places, v_most), p_model, p_worker, p_now;
  leases := coalesce(leases, '{}');
  if v_turn.lane is not null then  -- also if nobody could be had: the others' turns come
    perform sluice.note_clock(p_model, v_turn, v_head, coalesce(leases[1].request_bytes,
      v_head.request_bytes));
    turns := case when leases = '{}' then '{}' else array[v_turn] end;
  end if;
end
$$;
