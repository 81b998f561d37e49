-- How a claim takes rows, once it knows its models: the only lane, the first of several, or many by
-- fair turns.

-- first_text: the first rows of the lane v_head, locked or not: as many as a claim of p_max looks
-- at.
-- twin: tenant_key
create or replace function sluice.first_text() returns text
language sql immutable
as $$
  select 'select q.ctid as at, q.ready_at from sluice.queue_%1$s q
    where q.rank = v_head.rank and (hashtextextended(q.tenant, 0) >> 1) = v_head.tenant
      and q.ready_at >= v_head.ready_at
    order by q.rank, hashtextextended(q.tenant, 0) >> 1, q.ready_at, q.task_id
      limit p_max + sluice.locked_max()'
$$;

-- take_turns: moves up to p_want rows of the lines p_shares, which are open to p_model, into
-- leases: of each tenant and route what its turn is. Of one lane straight away: no weights, clocks,
-- rounds. Of several it looks at all that wait, or goes on with their rounds until it has what it
-- wants or has seen 64. Where none of those has a turn left in its round, they have more of them:
-- no permit is unused while anything waits. Requires the model's lock.
-- Params:  p_is_limited: more was asked for than the model has permits or calls, or urgent tasks
--          only; p_is_free: neither the model nor any tenant has a quota but the model's of
--          requests; p_has_round: a round through its own line is under way; p_last: no lane of a
--          rank beyond.
create or replace function sluice.take_turns(
  p_model sluice.models, p_worker bigint, p_shares sluice.line_share[], p_want int,
  p_is_limited boolean, p_is_free boolean,
  p_has_round boolean, p_last smallint, p_now timestamptz) returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v_shares sluice.line_share[] := p_shares;
  v_looks int := least(greatest(p_want, sluice.window_min()), sluice.window_max());
  v_leases sluice.lease[];
  v_heads sluice.head[];
  v_rounds sluice.lane_round[] := '{}';
  v_first record;
  v_some record;
  v_left int := p_want;
  v_looked int := 0;
  v_more boolean;
begin
  if p_is_free and cardinality(v_shares) = 1
     and not (case when v_shares[1].line > 0 then p_has_round
       else (sluice.round_of(p_model.id, v_shares[1].line)).next is not null end) then
    v_first := sluice.take_first(p_model.id, p_worker, v_shares[1], v_looks, p_want, p_last, p_now);
    v_heads := v_first.heads;
    v_leases := v_first.leases;
  end if;
  v_more := v_leases is null;
  v_leases := coalesce(v_leases, '{}');
  while v_more loop
    if v_heads is null then
      select s.heads, s.rounds into v_heads, v_rounds from sluice.lanes_in_sight(p_model.id,
        v_shares, v_looks, p_last, p_want, p_now) s;
    end if;
    exit when v_heads = '{}';
    v_looked := v_looked + cardinality(v_heads);
    v_some := sluice.take_some(p_model, p_worker, v_heads, v_rounds, v_shares, v_left,
      p_is_free, p_now);
    v_more := (v_rounds <> '{}' or v_some.cut) and v_looked < sluice.window_max();
    if v_left = p_want and v_some.leases = '{}' and v_rounds <> '{}' and not v_more then
      v_some := sluice.take_some(p_model, p_worker, v_heads, sluice.without_end(v_rounds), v_shares,
        v_left, p_is_free, p_now);
    end if;
    v_leases := v_leases || v_some.leases;
    v_left := p_want - cardinality(v_leases);
    v_shares := v_some.shares;
    v_more := v_more and v_left > 0;
    if v_rounds <> '{}' then
      perform sluice.note_rounds(v_rounds, v_heads, v_some.turns, v_left = 0 or v_some.cut
        or p_model.tpm is not null);
    end if;
    v_heads := null;
  end loop;
  if p_shares[1].line < 0 then
    perform sluice.note_routed(p_model, p_shares, p_want, p_is_limited, v_leases, p_now);
  end if;
  return v_leases;
end
$$;

-- take_first: takes of the only lane that waits in a line, without weights and clocks; or one row,
-- of the lane whose turn it is. There may be no round through the line, and no tenant may have a
-- quota.
-- Returns: leases; null: nothing was taken, for there are more lanes; heads: those; null: more than
--          p_looks.
create or replace function sluice.take_first(
  p_model int, p_worker bigint, p_share sluice.line_share, p_looks int, p_want int, p_last smallint,
  p_now timestamptz, out heads sluice.head[], out leases sluice.lease[])
language plpgsql volatile
as $$
begin
  execute 'call sluice.take_' || sluice.line_name(p_share.line)
    || '(null, null, $1, $2, $3, $4, $5, $6)' into heads, leases
  using p_last, p_looks + 1, least(p_want, p_share.most), p_model, p_worker, p_now;
  if cardinality(heads) > p_looks then
    heads := null;
  elsif leases is null and cardinality(heads) > 1 then
    heads := sluice.weighed(heads, p_now);
  else
    leases := coalesce(leases, '{}');
  end if;
end
$$;

-- lanes_in_sight: the lanes of the lines p_shares that a claim of p_want looks at next, p_looks of
-- a line, and the rounds of those lines that have more.
create or replace function sluice.lanes_in_sight(
  p_model int, p_shares sluice.line_share[], p_looks int, p_last smallint, p_want int,
  p_now timestamptz, out heads sluice.head[], out rounds sluice.lane_round[])
language plpgsql volatile
as $$
declare
  v_share sluice.line_share;
  v_lanes record;
begin
  heads := '{}';
  rounds := '{}';
  foreach v_share in array p_shares loop
    v_lanes := sluice.waiting_lanes(p_model, v_share.line, p_looks, p_last, p_want, p_now);
    heads := heads || v_lanes.heads;
    if (v_lanes.round).line is not null then
      rounds := rounds || v_lanes.round;
    end if;
  end loop;
end
$$;

-- take_some: takes up to p_places rows of the lanes p_heads: straight of one lane, or one row of
-- whose turn it is; else by turns. Charges the quotas of tokens and of tenants.
-- Params:  p_rounds: those of lines that have more lanes; p_shares: how many of each line, at most;
--          p_is_free: as take_turns.
-- Returns: leases; turns: of what was taken, but of a lane that is alone; shares: what is left of
--          them; cut: some were left: their line's share was used up, or a tenant's quota, or not
--          all of a lane's rows were looked at.
create or replace function sluice.take_some(
  p_model sluice.models, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.line_share[], p_places int, p_is_free boolean, p_now timestamptz,
  out leases sluice.lease[], out turns sluice.turn[], out shares sluice.line_share[],
    out cut boolean)
language plpgsql volatile
as $$
declare
  v_alone boolean := cardinality(p_heads) = 1 and p_rounds = '{}';
  v_limited boolean := not p_is_free and (p_model.tpm is not null
    or exists (select from unnest(p_heads) h where h.room is not null));
  v_some record;
begin
  if v_limited or p_places > 1 and not v_alone then
    v_some := sluice.take_by_turns(p_model, p_worker, p_heads, p_rounds, p_shares, p_places,
      v_limited, p_now);
    if v_limited and v_some.leases <> '{}' then
      perform sluice.charge_reserved(p_model, v_some.leases, p_now);
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
      select row(s.line, s.most - t.taken)::sluice.line_share
      from unnest(p_shares) s cross join lateral (select count(*)::int as taken
        from unnest(leases) l where l.line = s.line) t
      where coalesce(s.most > t.taken, true));
  end if;
end
$$;

-- take_straight: takes up to p_places rows of a lane that is alone, or one row: of the lane whose
-- turn it is. Params, returns: as take_some.
create or replace function sluice.take_straight(
  p_model int, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.line_share[], p_places int,
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

-- take_by_turns: takes the rows whose turn it is: fair_turns, within shares and quotas.
create or replace function sluice.take_by_turns(
  p_model sluice.models, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.line_share[], p_places int,
  p_limited boolean, p_now timestamptz, out leases sluice.lease[], out turns sluice.turn[],
    out cut boolean)
language plpgsql volatile
as $$
declare
  v_within record;
  v_line int;
  v_some sluice.lease[];
  v_ids bigint[];
begin
  leases := '{}';
  v_within := sluice.turns_within(p_model, p_heads, p_rounds, p_shares, p_places, p_limited, p_now);
  turns := v_within.turns;
  cut := v_within.cut;
  for v_line in select distinct t.line from unnest(turns) t order by t.line loop
    execute 'call sluice.draw_' || sluice.line_name(v_line) || '(null, $1, $2, $3, $4, $5)'
      into v_some
    using array(select t.task_id from unnest(turns) t where t.line = v_line),
      case when p_limited then
      array(select v_within.tokens[t.ordinality] from unnest(turns) with ordinality t
        where t.line = v_line) end,
      p_model.id, p_worker, p_now;
    leases := leases || coalesce(v_some, '{}');
  end loop;
  if leases[1].line <> leases[cardinality(leases)].line then  -- in the order of their turns
    v_ids := array(select t.task_id from unnest(turns) t);
    leases := array(select l from unnest(leases) l order by array_position(v_ids, l.task_id));
  end if;
  -- somebody else has ended some meanwhile, or they are late
  if cardinality(leases) < cardinality(turns) then
    -- locked: to look again is in vain, and they have had their turns: the others' come
    if leases = '{}' then
      cut := cut and exists (select from unnest(turns) t where t.deadline <= p_now);
      perform sluice.note_clocks(p_model.id, turns) where cardinality(p_heads) > 1;
    end if;
    v_ids := array(select l.task_id from unnest(leases) l);
    turns := array(select t from unnest(turns) t where t.task_id = any (v_ids));
  end if;
  if turns <> '{}' and (cardinality(p_heads) > 1 or p_rounds <> '{}') then
    perform sluice.note_clocks(p_model.id, turns);
  end if;
  perform sluice.note_taken(p_heads, turns, p_now);
end
$$;

-- turns_within: whose turn it is among p_heads, within the lines' shares and, if p_limited, the
-- quotas of tokens and tenants.
-- Returns: the turns in order, and beside each the tokens that it is to reserve; cut: as take_some.
create or replace function sluice.turns_within(
  p_model sluice.models, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.line_share[], p_places int, p_limited boolean, p_now timestamptz,
  out turns sluice.turn[], out tokens int[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_turns sluice.turn[] := coalesce(sluice.fair_turns(p_model.id, p_heads, p_rounds, p_places,
    p_now), '{}');
  v_count int := cardinality(v_turns);
begin
  if p_shares[1].line < 0 then
    v_turns := array(
      select v_turns[t.ordinality] from (
        select c.ordinality, row_number() over (partition by c.line
          order by c.ordinality) as nth, s.most
        from unnest(v_turns) with ordinality c join unnest(p_shares) s on s.line = c.line) t
      where coalesce(t.nth <= t.most, true) order by t.ordinality);
  end if;
  cut := cardinality(v_turns) < v_count or exists (select from unnest(v_turns) t where t.has_more);
  if p_limited then
    select coalesce(array_agg(v_turns[j.place] order by j.place), '{}'),
      coalesce(array_agg(j.tokens order by j.place), '{}')
    into turns, tokens from sluice.judge_rows(p_model, v_turns, p_places, p_now) j;
    cut := cut or cardinality(turns) < v_count;
  else
    turns := v_turns;
    tokens := array_fill(0, array[cardinality(turns)]);
  end if;
end
$$;

-- judge_rows: which of p_rows, in their order, may be taken. First each tenant grants the first of
-- its rows; of those the model grants the first p_want, and the head whatever its size while its
-- tokens are not in debt. What a tenant grants is a beginning of its rows, so running sums suffice.
-- The others stay where they are. Late ones are taken, too, to be ended; nothing is reserved for
-- them. Requires the model's lock; tries the tenants': rows of a tenant for which another worker is
-- taking now stay.
-- Returns: of those that may be taken their id, line and place, and what each is to reserve.
create or replace function sluice.judge_rows(
  p_model sluice.models, p_rows sluice.turn[], p_want int, p_now timestamptz)
returns table (task_id bigint, line int, tokens int, place bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_quota sluice.quota := sluice.token_quota(p_model);
  v_tokens bigint;
  v_estimate boolean := p_model.tpm is not null or exists (select from sluice.tenants t
    where t.tpm is not null);
begin
  perform sluice.mend_bucket(v_quota, p_now);
  v_tokens := sluice.permits_now(v_quota, p_now);
  return query
  with row as (
    select r.task_id, r.line, r.ordinality as place, t.tenant,
      coalesce(r.deadline <= p_now, false) as late,
      case when v_estimate then sluice.estimate_tokens(p_model.id, r.request_bytes,
        t.max_output_tokens) else 0 end as tokens
    from unnest(p_rows) with ordinality r join sluice.task t on t.id = r.task_id),
  allowance as materialized (
    select a.* from sluice.tenant_allowances(array(select distinct r.tenant from row r), p_now) a),
  by_tenant as (
    select r.*, not coalesce(a.busy, false)
        and coalesce(count(*) over own <= a.requests, true)
        and coalesce(sum(r.tokens) over own - r.tokens < a.tokens, true) as granted
    from row r left join allowance a on a.name = r.tenant
    where not r.late
    window own as (partition by r.tenant order by r.place)),
  by_model as (
    select b.*, count(*) over so_far <= p_want
      and coalesce(sum(b.tokens) over so_far - b.tokens < v_tokens, true) as taken
    from by_tenant b where b.granted
    window so_far as (order by b.place))
  select m.task_id, m.line, m.tokens, m.place from by_model m where m.taken
  union all
  select r.task_id, r.line, 0, r.place from row r where r.late;
end
$$;
