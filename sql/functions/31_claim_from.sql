-- claim_from: moves up to p_max tasks from the lines that feed one model into leases, each together with its permit.
-- Returns: the new leases; none when the model's lock is busy or nothing is ready or permitted.
-- Never claims late: a task past its deadline ends as expired instead.
-- Params:  p_last: only tasks of this rank and better (-1: priorities above 0).
--
-- All policy acts here: which lanes wait (19_lanes.sql), whose turn it is (23_fair_share.sql), how much of a route's tasks is the
-- model's (21_routing.sql). One lane: one scan, one move. Rejected: an outer sort over all lanes (walks them all); UPDATE of a status
-- column (8 -> 20 ms a claim after 250k tasks under a held snapshot); a short queue that is filled ahead of the claims (three times as
-- dear, and what is in it is past all policy: DECISIONS.md).
create or replace function sluice.claim_from(
  p_model int, p_worker bigint, p_max int, p_now timestamptz, p_last smallint default 100) returns sluice.lease[]
language plpgsql volatile
as $$
declare
  v record;
  v_model sluice.models;
  v_quota sluice.quota;
  v_now timestamptz;
  v_probes int;
  v_want int := p_max;
  v_shares sluice.line_share[];
  v_leases sluice.lease[];
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return '{}';
  end if;
  -- The clock after the lock, for who waited must not carry an older time; and after the row, or a change of the limits
  -- just now would lie in the future. All that mostly is not there in one statement: each of its own costs 40,000 instructions.
  select m as model, exists (select from sluice.rung r where r.line < 0) as are_routes,
    exists (select from sluice.breaker b where b.model = m.id) as has_breaker,
    m.tpm is not null or exists (select from sluice.tenants t where t.rpm is not null or t.tpm is not null) as has_quotas,
    (select r.next from sluice.lane_round r where r.model = m.id and r.line = m.id order by r.model, r.line, r.n desc limit 1) as next
  into v from sluice.models m where m.id = p_model;
  if not found then  -- it was deleted just now
    return '{}';
  end if;
  v_model := v.model;
  v_now := coalesce(p_now, clock_timestamp());
  if v_model.rpm is not null then
    v_quota := sluice.request_quota(v_model);
    perform sluice.mend_bucket(v_quota, v_now);
    v_want := least(v_want, sluice.permits_now(v_quota, v_now));
  end if;
  if v_model.max_in_flight is not null then
    v_want := least(v_want, sluice.calls_left(v_model));
  end if;
  if v.has_breaker then
    v_probes := sluice.probes_now(v_model, v_now);
    v_want := least(v_want, v_probes);
  end if;
  if v_want is null or v_want <= 0 then
    return '{}';
  end if;
  v_shares := case when v.are_routes then sluice.lines_open(v_model, v_want, v_now)
    else array[row(p_model, null)]::sluice.line_share[] end;
  if cardinality(v_shares) > 0 then
    v_leases := sluice.take_turns(v_model, p_worker, v_shares, v_want, v_want < p_max or p_last < 100, not v.has_quotas,
      v.next is not null, p_last, v_now);
  end if;
  if coalesce(v_leases, '{}') = '{}' then
    return '{}';
  end if;
  if v_model.rpm is not null then
    perform sluice.take_permits(v_quota, cardinality(v_leases), v_now);
  end if;
  if v_probes is not null then
    update sluice.breaker set probe_task = v_leases[1].task_id, probe_fence = v_leases[1].fence where model = p_model;
  end if;
  perform sluice.count_claimed(p_model, cardinality(v_leases));
  return v_leases;
end
$$;

-- take_turns: moves up to p_want rows of the lines p_shares, which are open to p_model, into leases: of each tenant and route what its turn
-- is. Of one lane straight away: no weights, clocks, rounds. Of several it looks at all that wait, or goes on with their rounds until it
-- has what it wants or has seen 64. Where none of those has a turn left in its round, they have more of them: no permit is unused while
-- anything waits. Requires the model's lock.
-- Params:  p_is_limited: more was asked for than the model has permits or calls, or urgent tasks only; p_is_free: neither the model nor any
--          tenant has a quota but the model's of requests; p_has_round: a round through its own line is under way; p_last: no lane of a
--          rank beyond.
create or replace function sluice.take_turns(
  p_model sluice.models, p_worker bigint, p_shares sluice.line_share[], p_want int, p_is_limited boolean, p_is_free boolean,
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
    v_first := sluice.take_alone(p_model.id, p_worker, v_shares[1], v_looks, p_want, p_last, p_now);
    v_heads := v_first.heads;
    v_leases := v_first.leases;
  end if;
  v_more := v_leases is null;
  v_leases := coalesce(v_leases, '{}');
  while v_more loop
    if v_heads is null then
      select s.heads, s.rounds into v_heads, v_rounds from sluice.lanes_in_sight(p_model.id, v_shares, v_looks, p_last, p_want, p_now) s;
    end if;
    exit when v_heads = '{}';
    v_looked := v_looked + cardinality(v_heads);
    v_some := sluice.take_some(p_model, p_worker, v_heads, v_rounds, v_shares, v_left, p_is_free, p_now);
    v_more := (v_rounds <> '{}' or v_some.cut) and v_looked < sluice.window_max();
    if v_left = p_want and v_some.leases = '{}' and v_rounds <> '{}' and not v_more then
      v_some := sluice.take_some(p_model, p_worker, v_heads, sluice.without_end(v_rounds), v_shares, v_left, p_is_free, p_now);
    end if;
    v_leases := v_leases || v_some.leases;
    v_left := p_want - cardinality(v_leases);
    v_shares := v_some.shares;
    v_more := v_more and v_left > 0;
    if v_rounds <> '{}' then
      perform sluice.note_rounds(v_rounds, v_heads, v_some.turns, v_left = 0 or v_some.cut or p_model.tpm is not null);
    end if;
    v_heads := null;
  end loop;
  if p_shares[1].line < 0 then
    perform sluice.note_routed(p_model, p_shares, p_want, p_is_limited, v_leases, p_now);
  end if;
  return v_leases;
end
$$;

-- take_alone: takes of the only lane that waits in a line, without weights, clocks and rounds. No tenant may have a quota.
-- Returns: leases; null: several lanes wait, and nothing was taken; heads: those; null: more than p_looks.
create or replace function sluice.take_alone(
  p_model int, p_worker bigint, p_share sluice.line_share, p_looks int, p_want int, p_last smallint, p_now timestamptz,
  out heads sluice.head[], out leases sluice.lease[])
language plpgsql volatile
as $$
begin
  execute 'call sluice.take_' || sluice.line_name(p_share.line) || '(null, null, $1, $2, $3, $4, $5, $6)' into heads, leases
  using p_last, p_looks + 1, least(p_want, p_share.most), p_model, p_worker, p_now;
  if cardinality(heads) > p_looks then
    heads := null;
  elsif cardinality(heads) > 1 then
    heads := sluice.weighed(heads, p_now);
  else
    leases := coalesce(leases, '{}');
  end if;
end
$$;

-- lanes_in_sight: the lanes of the lines p_shares that a claim of p_want looks at next, p_looks of a line, and the rounds of those lines
-- that have more.
create or replace function sluice.lanes_in_sight(
  p_model int, p_shares sluice.line_share[], p_looks int, p_last smallint, p_want int, p_now timestamptz,
  out heads sluice.head[], out rounds sluice.lane_round[])
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

-- take_some: takes up to p_places rows of the lanes p_heads: straight of one lane, or one row of whose turn it is; else by turns.
-- Charges the quotas of tokens and of tenants.
-- Params:  p_rounds: those of lines that have more lanes; p_shares: how many of each line, at most; p_is_free: as take_turns.
-- Returns: leases; turns: of what was taken, but of a lane that is alone; shares: what is left of them; cut: some were left: their line's
--          share was used up, or a tenant's quota, or not all of a lane's rows were looked at.
create or replace function sluice.take_some(
  p_model sluice.models, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_places int,
  p_is_free boolean, p_now timestamptz,
  out leases sluice.lease[], out turns sluice.turn[], out shares sluice.line_share[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_alone boolean := cardinality(p_heads) = 1 and p_rounds = '{}';
  v_limited boolean := not p_is_free and (p_model.tpm is not null or exists (select from unnest(p_heads) h where h.room is not null));
  v_some record;
begin
  if v_limited or p_places > 1 and not v_alone then
    v_some := sluice.take_by_turns(p_model, p_worker, p_heads, p_rounds, p_shares, p_places, v_limited, p_now);
    if v_limited and v_some.leases <> '{}' then
      perform sluice.charge_reserved(p_model, v_some.leases, p_now);
    end if;
  else
    v_some := sluice.take_straight(p_model.id, p_worker, p_heads, p_rounds, p_shares, p_places, p_now);
  end if;
  leases := v_some.leases;
  turns := v_some.turns;
  cut := v_some.cut;
  if turns <> '{}' and not v_alone then
    perform sluice.note_clocks(p_model.id, turns);
  end if;
  shares := p_shares;
  if p_shares[1].line < 0 then
    shares := array(
      select row(s.line, s.most - t.taken)::sluice.line_share
      from unnest(p_shares) s cross join lateral (select count(*)::int as taken from unnest(leases) l where l.line = s.line) t
      where coalesce(s.most > t.taken, true));
  end if;
end
$$;

-- take_straight: takes up to p_places rows of a lane that is alone, or one row: of the lane whose turn it is. Params, returns: as
-- take_some.
create or replace function sluice.take_straight(
  p_model int, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_places int,
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
  execute 'call sluice.take_' || sluice.line_name(v_head.line) || '($1, null, null, null, $2, $3, $4, $5)' into p_heads, leases
  using array[v_head], least(p_places, v_most), p_model, p_worker, p_now;
  leases := coalesce(leases, '{}');
  if leases <> '{}' and v_turn.lane is not null then  -- a deadline may have brought forward another one than the first
    v_turn.finish := v_turn.start + sluice.task_tokens(leases[1].request_bytes) / coalesce(v_head.weight, 1);
    turns := array[v_turn];
  end if;
end
$$;

-- take_by_turns: takes the rows whose turn it is: fair_turns, within shares and quotas.
create or replace function sluice.take_by_turns(
  p_model sluice.models, p_worker bigint, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_places int,
  p_limited boolean, p_now timestamptz, out leases sluice.lease[], out turns sluice.turn[], out cut boolean)
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
    execute 'call sluice.draw_' || sluice.line_name(v_line) || '(null, $1, $2, $3, $4, $5)' into v_some
    using array(select t.task_id from unnest(turns) t where t.line = v_line), case when p_limited then
      array(select v_within.tokens[t.ordinality] from unnest(turns) with ordinality t where t.line = v_line) end,
      p_model.id, p_worker, p_now;
    leases := leases || coalesce(v_some, '{}');
  end loop;
  if leases[1].line <> leases[cardinality(leases)].line then  -- in the order of their turns
    v_ids := array(select t.task_id from unnest(turns) t);
    leases := array(select l from unnest(leases) l order by array_position(v_ids, l.task_id));
  end if;
  if cardinality(leases) < cardinality(turns) then  -- somebody else has ended some meanwhile, or they are late
    v_ids := array(select l.task_id from unnest(leases) l);
    turns := array(select t from unnest(turns) t where t.task_id = any (v_ids));
  end if;
  perform sluice.note_taken(p_heads, array(
    select coalesce(t.taken, 0) from generate_subscripts(p_heads, 1) h
    left join (select t.lane, count(*)::int as taken from unnest(turns) t group by t.lane) t on t.lane = h order by h), p_now);
end
$$;

-- turns_within: whose turn it is among p_heads, within the lines' shares and, if p_limited, the quotas of tokens and tenants.
-- Returns: the turns in order, and beside each the tokens that it is to reserve; cut: as take_some.
create or replace function sluice.turns_within(
  p_model sluice.models, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_places int,
  p_limited boolean, p_now timestamptz,
  out turns sluice.turn[], out tokens int[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_turns sluice.turn[] := coalesce(sluice.fair_turns(p_model.id, p_heads, p_rounds, p_places, p_now), '{}');
  v_count int := cardinality(v_turns);
begin
  if p_shares[1].line < 0 then
    v_turns := array(
      select v_turns[t.ordinality] from (
        select c.ordinality, row_number() over (partition by c.line order by c.ordinality) as nth, s.most
        from unnest(v_turns) with ordinality c join unnest(p_shares) s on s.line = c.line) t
      where coalesce(t.nth <= t.most, true) order by t.ordinality);
  end if;
  cut := cardinality(v_turns) < v_count or exists (select from unnest(v_turns) t where t.has_more);
  if p_limited then
    select coalesce(array_agg(v_turns[j.place] order by j.place), '{}'), coalesce(array_agg(j.tokens order by j.place), '{}')
    into turns, tokens from sluice.judge_rows(p_model, v_turns, p_places, p_now) j;
    cut := cut or cardinality(turns) < v_count;
  else
    turns := v_turns;
    tokens := array_fill(0, array[cardinality(turns)]);
  end if;
end
$$;

-- calls_left: how many more calls of a model may begin; null: any number. Requires the model's lock.
-- Recounts when a crash reset the counters, and before it calls a model full: what a rolled-back claim counted would
-- otherwise stay counted.
create or replace function sluice.calls_left(p_model sluice.models) returns bigint
language plpgsql volatile
as $$
begin
  if sluice.counter('claimed', p_model.id) is null or sluice.counter('ended', p_model.id) is null
     or sluice.in_flight(p_model.id) >= p_model.max_in_flight then
    perform sluice.recount_in_flight(p_model.id);
  end if;
  return p_model.max_in_flight - sluice.in_flight(p_model.id);
end
$$;

-- count_claimed: the first half of in_flight: p_calls of a model begin; after a crash it is counted anew. Requires the model's lock.
create or replace function sluice.count_claimed(p_model int, p_calls int) returns void
language plpgsql volatile
as $$
declare
  v_claimed bigint := nextval(('sluice.claimed_' || p_model)::regclass);
begin
  if v_claimed = 0 then  -- where it begins: a model that is made has it set
    perform sluice.recount_in_flight(p_model);
  elsif p_calls > 1 then
    perform sluice.set_counter('claimed', p_model, v_claimed + p_calls - 1);
  end if;
end
$$;

-- in_flight: calls of model p_model under way in the whole fleet, counted by two sequences (no hot row, nothing to
-- scan); from the leases while a crash has left them unset.
create or replace function sluice.in_flight(p_model int) returns bigint
language plpgsql volatile
as $$
declare
  v_claimed bigint := sluice.counter('claimed', p_model);
  v_ended bigint := sluice.counter('ended', p_model);
begin
  if v_claimed is null or v_ended is null then
    return (select coalesce(sum(calls), 0) from sluice.lease where model = p_model);
  end if;
  return greatest(0, v_claimed - v_ended);
end
$$;

-- count_ended: the other half of in_flight: these leases' calls have ended, extra ones included. Needs no lock.
create or replace function sluice.count_ended(p_leases sluice.lease[]) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform sluice.count_calls(array_agg(m.model), array_agg(m.calls))
  from (select l.model, sum(l.calls)::int as calls from unnest(p_leases) l group by l.model) m;
end
$$;

-- count_calls: the same by models: of each of p_models so many of p_calls have ended; may be null.
create or replace function sluice.count_calls(p_models int[], p_calls int[]) returns void
language plpgsql volatile
as $$
begin
  -- The sequence of a model is looked up once, not for every call: 6 us a task, so 2.
  perform nextval(m.ended)
  from (select ('sluice.ended_' || c.model)::regclass as ended, c.calls from unnest(p_models, p_calls) c(model, calls) offset 0) m
  cross join lateral generate_series(1, m.calls);
  -- A model that was full has room for one more, a half-open breaker for its next probe, however that call ended: whoever
  -- sleeps has set no timer for it.
  perform sluice.ring_alarm(m.id) from sluice.models m
  where m.id = any (p_models) and (m.max_in_flight is not null
    or exists (select from sluice.breaker b where b.model = m.id and b.state <> 'closed'));
end
$$;

-- recount_in_flight: sets a model's two counters from its leases. Under the model's lock nothing is claimed meanwhile;
-- ended is read last, so that a call that ends meanwhile is counted in flight, not forgotten.
create or replace function sluice.recount_in_flight(p_model int) returns void
language plpgsql volatile
as $$
declare
  v_calls bigint;
  v_ended bigint;
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return;
  end if;
  v_calls := (select coalesce(sum(calls), 0) from sluice.lease where model = p_model);
  -- Only nextval is safe beside calls that end now.
  v_ended := coalesce(sluice.counter('ended', p_model), nextval(('sluice.ended_' || p_model)::regclass));
  perform sluice.set_counter('claimed', p_model, v_ended + v_calls);
end
$$;

-- expire: ends those of the given queue rows whose deadline has passed. Params: p_model: for which they were taken.
create or replace function sluice.expire(p_rows sluice.queue[], p_model int, p_now timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_ended bigint[];
begin
  with ended as (
    insert into sluice.result (task_id, created_at, queued_at, finished_at, fence, attempts, status, model, error_code, error)
    select q.task_id, t.created_at, q.ready_at, p_now, q.fence, q.attempts, 'expired', m.name, 'deadline',
      'the deadline passed before a worker could start it'
    from unnest(p_rows) q join sluice.task t on t.id = q.task_id left join sluice.models m on m.id = p_model
    where q.deadline <= p_now
    on conflict do nothing returning task_id)
  select array_agg(task_id) into v_ended from ended;
  perform sluice.note_ended(v_ended, 'expired');
end
$$;
