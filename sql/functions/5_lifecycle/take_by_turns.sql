-- How a claim takes rows of several lanes: by turns, within the shares of lines and the quotas of
-- tokens and tenants.

-- take_by_turns: takes rows in the order of fair_turns, within shares and quotas.
-- Returns: as take_some; needs: for hold_budgets.
create or replace function sluice.take_by_turns(
  p_model sluice.models, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.claim_share[], p_places int,
  p_limited boolean, p_now timestamptz, out leases sluice.lease[], out turns sluice.turn[],
    out cut boolean, out needs sluice.budget_need[])
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
  needs := v_within.needs;
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
  -- of one lane, too, that takes a good part of a minute's tokens, for whom others wait then
  if turns <> '{}' and (cardinality(p_heads) > 1 or p_rounds <> '{}'
    or p_model.tpm is not null and (select sum(t) from unnest(v_within.tokens) t) > p_model.tpm / 8)
  then
    perform sluice.note_clocks(p_model.id, turns);
  end if;
  perform sluice.note_taken(p_heads, turns, p_now);
end
$$;

-- turns_within: the next turns of p_heads within the lines' shares and, if p_limited, the quotas of
-- tokens and tenants.
-- Returns: the turns in order, and beside each the tokens to reserve; cut: as take_some; needs: of
--          within_budgets.
create or replace function sluice.turns_within(
  p_model sluice.models, p_heads sluice.head[], p_rounds sluice.lane_round[],
  p_shares sluice.claim_share[], p_places int, p_limited boolean, p_now timestamptz,
  out turns sluice.turn[], out tokens int[], out cut boolean, out needs sluice.budget_need[])
language plpgsql volatile
as $$
declare
  v_bounded boolean := p_shares[1].line < 0 and sluice.bounds_deadlines(p_shares);
  -- Where tasks were over a budget, in this claim's look before or at the last visit, more may be:
  -- two at a time took a minute for 80,000 of 200 models, with every claim a second long.
  v_looks int := p_places + case when not p_model.is_budgeted then 0
    when p_model.id = any (sluice.over_models(true)) then 32
    when p_model.id = any (sluice.over_models(false)) then sluice.over_max() else 0 end;
  v_turns sluice.turn[] := coalesce(sluice.fair_turns(p_model.id, p_heads, p_rounds,
    v_looks + case when v_bounded then 32 else 0 end, p_now), '{}');
  v_count int;
  v_fits boolean[];
begin
  if v_bounded then
    v_turns := sluice.within_deadlines(v_turns, p_shares, v_looks, p_now);
  end if;
  v_count := cardinality(v_turns);
  if p_shares[1].line < 0 then
    v_turns := array(
      select v_turns[t.ordinality] from (
        select c.ordinality,
          row_number() over (partition by c.line order by c.ordinality) as nth, s.most
        from unnest(v_turns) with ordinality c join unnest(p_shares) s on s.line = c.line) t
      where coalesce(t.nth <= t.most, true) order by t.ordinality);
  end if;
  cut := not v_bounded and (cardinality(v_turns) < v_count
    or exists (select from unnest(v_turns) t where t.has_more));
  if p_limited then
    select coalesce(array_agg(v_turns[j.place] order by j.place), '{}'),
      coalesce(array_agg(j.tokens order by j.place), '{}')
    into turns, tokens from sluice.judge_rows(p_model, v_turns, v_looks, p_now) j;
    if p_model.is_budgeted and turns <> '{}' then
      select w.fits, w.needs into v_fits, needs
      from sluice.within_budgets(p_model, turns, p_places, p_now) w;
      tokens := array(select tokens[n] from generate_subscripts(v_fits, 1) n where v_fits[n]
        order by n);
      turns := array(select turns[n] from generate_subscripts(v_fits, 1) n where v_fits[n]
        order by n);
      tokens := tokens[:p_places];
      turns := turns[:p_places];
    end if;
    cut := cut or cardinality(turns) < v_count;
  else
    turns := v_turns;
    tokens := array_fill(0, array[cardinality(turns)]);
  end if;
  if p_model.tpm is not null then
    turns := sluice.turns_as_reserved(turns, tokens, p_heads);
  end if;
end
$$;

-- turns_as_reserved: p_turns with each tenant's clock moved by the tokens that its calls reserve,
-- if these are more than its requests have: of a model with a quota of tokens they are what is
-- shared. By short requests that asked for long answers a tenant had used up the quota in 6 of 600
-- turns.
-- Params:  p_tokens: of each of p_turns.
create or replace function sluice.turns_as_reserved(
  p_turns sluice.turn[], p_tokens int[], p_heads sluice.head[]) returns sluice.turn[]
language plpgsql immutable
as $$
declare
  v_more double precision[] := array(
    select sum(greatest(0, p_tokens[t.place] - sluice.task_tokens(t.request_bytes))
        / coalesce(p_heads[t.lane].weight, 1)) over (partition by t.aged, t.tenant order by t.place)
    from (select t.lane, t.aged, t.tenant, t.request_bytes, t.ordinality as place
      from unnest(p_turns) with ordinality t) t
    order by t.place);
begin
  for n in 1 .. cardinality(p_turns) loop
    p_turns[n].finish := p_turns[n].finish + v_more[n];
  end loop;
  return p_turns;
end
$$;

-- bounds_deadlines: whether some of p_shares are for tasks with certain deadlines only.
create or replace function sluice.bounds_deadlines(p_shares sluice.claim_share[]) returns boolean
language plpgsql immutable
as $$
begin
  for n in 1 .. cardinality(p_shares) loop
    if num_nonnulls(p_shares[n].since, p_shares[n].before) > 0 then
      return true;
    end if;
  end loop;
  return false;
end
$$;

-- within_deadlines: the first p_places of p_turns whose deadlines are those of their line's share;
-- late ones, too, in order to be ended.
create or replace function sluice.within_deadlines(
  p_turns sluice.turn[], p_shares sluice.claim_share[], p_places int, p_now timestamptz)
returns sluice.turn[]
language plpgsql immutable
as $$
begin
  return array(
    select p_turns[t.ordinality] from unnest(p_turns) with ordinality t
    join unnest(p_shares) s on s.line = t.line
    cross join lateral (select coalesce(t.deadline, 'infinity') as at) d
    where d.at <= p_now
      or coalesce(d.at >= s.since, true) and coalesce(d.at < s.before, true)
    order by t.ordinality limit p_places);
end
$$;

-- judge_rows: which of p_rows, in their order, may be taken. First each tenant's quota grants its
-- rows, from the first on, until its calls or tokens are used up. Of the rows granted the model's
-- quota grants the first p_want, until its tokens are used up. A quota of tokens that is not in
-- debt grants one row whatever its size. Grants never leave a gap, so running sums decide. Rows
-- that are not granted stay where they are. Late rows are taken, too, in order to be ended; nothing
-- is reserved for them. Requires the model's lock. Tries the tenants' locks: if another worker
-- holds one, that tenant's rows stay.
-- Returns: for rows that may be taken their id, line and position, and the tokens to reserve.
create or replace function sluice.judge_rows(
  p_model sluice.models, p_rows sluice.turn[], p_want int, p_now timestamptz)
returns table (task_id bigint, line int, tokens int, place bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_quota sluice.quota := sluice.token_quota(p_model);
  v_tokens bigint;
  v_estimate boolean := p_model.tpm is not null
    or exists (select from sluice.tenants t where t.tpm is not null);
begin
  perform sluice.mend_bucket(v_quota, p_now);
  v_tokens := sluice.permits_now(v_quota, p_now);
  return query
  with row as (
    select r.task_id, r.line, r.ordinality as place, t.tenant,
      coalesce(r.deadline <= p_now, false) as late,
      case when v_estimate then sluice.estimate_tokens(p_model.id, r.request_bytes,
        t.max_output_tokens) else 0 end as tokens
    from unnest(p_rows) with ordinality r cross join lateral (
      select t.tenant, t.max_output_tokens from sluice.task t where t.id = r.task_id limit 1) t),
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
