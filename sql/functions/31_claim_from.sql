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
  v_model sluice.models;
  v_quota sluice.quota;
  v_now timestamptz;
  v_probes int;
  v_want int;
  v_taken record;
  v_leases sluice.lease[];
begin
  if not pg_try_advisory_xact_lock(sluice.lock_class('model'), p_model) then
    return '{}';
  end if;
  -- The clock after the lock, for who waited must not carry an older time; and after the row, or a change of the limits
  -- just now would lie in the future.
  select * into v_model from sluice.models where id = p_model;
  if not found then  -- it was deleted just now
    return '{}';
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_quota := sluice.request_quota(v_model);
  perform sluice.mend_bucket(v_quota, v_now);
  v_probes := sluice.probes_now(v_model, v_now);
  v_want := least(p_max, sluice.permits_now(v_quota, v_now), sluice.calls_left(v_model), v_probes);
  if v_want is null or v_want <= 0 then
    return '{}';
  end if;
  v_taken := sluice.take_turns(v_model, v_want, v_want < p_max or p_last < 100, p_last, v_now);
  if v_taken.gone = '{}' then
    return '{}';
  end if;
  with live as (
    insert into sluice.lease (task_id, worker, ready_at, started_at, deadline, reserved_tokens, model, request_bytes,
      fence, rank, attempts, tenant, line)
    select g.task_id, p_worker, g.ready_at, v_now, g.deadline, coalesce(g.tokens, 0), p_model, g.request_bytes,
      g.fence + 1, g.rank, g.attempts, g.tenant, g.line
    from unnest(v_taken.gone, v_taken.lines, v_taken.tokens)
      g(task_id, ready_at, deadline, model, request_bytes, fence, rank, attempts, tenant, line, tokens)
    where coalesce(g.deadline > v_now, true)
    returning lease)
  select array_agg(live.lease) into v_leases from live;
  if v_leases is null or cardinality(v_leases) < cardinality(v_taken.gone) then
    perform sluice.expire(v_taken.gone, v_model.name, v_now);
  end if;
  if v_leases is null then
    return '{}';
  end if;
  perform sluice.take_permits(v_quota, cardinality(v_leases), v_now);
  if v_taken.limited then
    perform sluice.charge_reserved(v_model, v_leases, v_now);
  end if;
  if v_probes is not null then
    update sluice.breaker set probe_task = v_leases[1].task_id, probe_fence = v_leases[1].fence where model = p_model;
  end if;
  perform sluice.set_counter('claimed', p_model, coalesce(sluice.counter('claimed', p_model), 0) + cardinality(v_leases));
  return v_leases;
end
$$;

-- take_turns: takes up to p_want rows from the lines that feed p_model: of each tenant and route what its turn is.
-- Looks at all lanes that wait, or goes on with their rounds until it has what it wants or has seen 64. Where none of those has a turn
-- left in its round, they have more of them: no permit is unused while anything waits. Requires the model's lock.
-- Params:  p_is_limited: more was asked for than the model has permits or calls, or urgent tasks only; p_last: no lane of a rank beyond.
-- Returns: gone: the rows, late ones among them; lines: which each came by; tokens: what each is to reserve; limited: whether quotas of
--          tokens or of tenants are to be charged.
create or replace function sluice.take_turns(
  p_model sluice.models, p_want int, p_is_limited boolean, p_last smallint, p_now timestamptz,
  out gone sluice.queue[], out lines int[], out tokens int[], out limited boolean)
language plpgsql volatile
as $$
declare
  v_open sluice.line_share[] := sluice.lines_open(p_model, p_want, p_now);
  v_shares sluice.line_share[] := v_open;
  v_sight record;
  v_some record;
  v_left int := p_want;
  v_looked int := 0;
  v_more boolean := true;
begin
  gone := '{}';
  lines := '{}';
  tokens := '{}';
  limited := p_model.tpm is not null;
  if cardinality(v_shares) = 1 and not limited
     and not exists (select from sluice.tenants t where t.rpm is not null or t.tpm is not null) then
    v_some := sluice.take_alone(v_shares[1], p_want, p_last, p_now);
    if v_some.done then
      gone := v_some.gone;
      lines := array_fill(v_shares[1].line, array[cardinality(gone)]);
      tokens := array_fill(0, array[cardinality(gone)]);
      if v_shares[1].line < 0 then
        perform sluice.note_routed(p_model, v_open, p_want, p_is_limited, gone, lines, p_now);
      end if;
      return;
    end if;
  end if;
  while v_more loop
    v_sight := sluice.lanes_in_sight(p_model.id, v_shares, p_last, p_want, p_now);
    if limited and gone <> '{}' then  -- who has a quota takes once: it is not charged yet
      v_sight.heads := array(select h from unnest(v_sight.heads) h where h.room is null);
    end if;
    exit when v_sight.heads = '{}';
    limited := limited or exists (select from unnest(v_sight.heads) h where h.room is not null);
    v_looked := v_looked + cardinality(v_sight.heads);
    v_some := sluice.take_some(p_model, v_sight.heads, v_sight.rounds, v_shares, v_left, limited, p_now);
    v_more := (v_sight.rounds <> '{}' or v_some.cut) and v_looked < sluice.window_max();
    if v_left = p_want and v_some.gone = '{}' and v_sight.rounds <> '{}' and not v_more then
      v_some := sluice.take_some(p_model, v_sight.heads, sluice.without_end(v_sight.rounds), v_shares, v_left, limited, p_now);
    end if;
    gone := gone || v_some.gone;
    lines := lines || v_some.lines;
    tokens := tokens || v_some.tokens;
    v_left := p_want - cardinality(gone);
    v_shares := v_some.shares;
    v_more := v_more and v_left > 0 and not (p_model.tpm is not null and gone <> '{}');
    perform sluice.note_rounds(v_sight.rounds, v_sight.heads, v_some.turns, v_left = 0 or v_some.cut or p_model.tpm is not null);
  end loop;
  perform sluice.note_routed(p_model, v_open, p_want, p_is_limited, gone, lines, p_now);
end
$$;

-- take_alone: takes up to p_want rows of a line in which one lane waits, straight: no weights, clocks, rounds. No tenant may have a quota.
-- Returns: done: false: several lanes wait, and nothing was taken.
create or replace function sluice.take_alone(
  p_share sluice.line_share, p_want int, p_last smallint, p_now timestamptz, out gone sluice.queue[], out done boolean)
language plpgsql volatile
as $$
declare
  v_found record;
begin
  execute 'call sluice.alone_' || sluice.line_name(p_share.line) || '($1, $2, $3, null, null, null)' into v_found
  using p_last, least(p_want, p_share.most), p_now;
  done := v_found.lanes < 2;
  gone := coalesce(v_found.gone, '{}');
  if gone <> '{}' then
    perform sluice.note_taken(array[v_found.head], array[cardinality(gone)], p_now);
  end if;
exception when undefined_function then  -- its model or route was deleted just now
  gone := '{}';
  done := true;
end
$$;

-- lanes_in_sight: the lanes of the lines p_shares that a claim of p_want looks at next, and the rounds of those lines that have more.
create or replace function sluice.lanes_in_sight(
  p_model int, p_shares sluice.line_share[], p_last smallint, p_want int, p_now timestamptz,
  out heads sluice.head[], out rounds sluice.lane_round[])
language plpgsql volatile
as $$
declare
  v_looks int := least(greatest(p_want, sluice.window_min()), sluice.window_max());
  v_share sluice.line_share;
  v_lanes record;
begin
  heads := '{}';
  rounds := '{}';
  foreach v_share in array p_shares loop
    v_lanes := sluice.waiting_lanes(p_model, v_share.line, v_looks, p_last, p_want, p_now);
    heads := heads || v_lanes.heads;
    if (v_lanes.round).line is not null then
      rounds := rounds || v_lanes.round;
    end if;
  end loop;
end
$$;

-- take_some: takes up to p_places rows of the lanes p_heads.
-- Params:  p_rounds: those of lines that have more lanes; p_shares: how many of each line, at most.
-- Returns: as take_turns; turns: of what was taken, but of a lane that is alone; shares: what is left of them; cut: some were left:
--          their line's share was used up, or a tenant's quota, or not all of a lane's rows were looked at.
create or replace function sluice.take_some(
  p_model sluice.models, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_places int,
  p_limited boolean, p_now timestamptz,
  out gone sluice.queue[], out lines int[], out tokens int[], out turns sluice.turn[], out shares sluice.line_share[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_alone boolean := cardinality(p_heads) = 1 and p_rounds = '{}';
begin
  if p_limited or p_places > 1 and not v_alone then
    select t.* into gone, lines, tokens, turns, cut
    from sluice.take_by_turns(p_model, p_heads, p_rounds, p_shares, p_places, p_limited, p_now) t;
  elsif v_alone then
    select t.* into gone, lines, cut from sluice.take_lane(p_heads[1], p_shares, p_places, p_now) t;
    cut := false;
  else
    select t.* into gone, lines, turns, cut from sluice.take_next(p_model.id, p_heads, p_rounds, p_shares, p_now) t;
  end if;
  tokens := coalesce(tokens, array_fill(0, array[cardinality(gone)]));
  if turns <> '{}' and not v_alone then
    perform sluice.note_clocks(p_model.id, turns);
  end if;
  shares := array(
    select row(s.line, s.most - cardinality(array_positions(take_some.lines, s.line)))::sluice.line_share from unnest(p_shares) s
    where coalesce(s.most > cardinality(array_positions(take_some.lines, s.line)), true));
end
$$;

-- take_lane: takes up to p_places rows of one lane, straight. Params, returns: as take_some.
create or replace function sluice.take_lane(
  p_head sluice.head, p_shares sluice.line_share[], p_places int, p_now timestamptz,
  out gone sluice.queue[], out lines int[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_most int := (select s.most from unnest(p_shares) s where s.line = p_head.line);
begin
  cut := coalesce(v_most < p_places, false);
  execute format('select sluice.take_%s($1, $2, $3, $4, $5)', sluice.line_name(p_head.line)) into gone
  using p_head.rank, p_head.tenant, p_head.ready_at, least(p_places, v_most), p_now;
  gone := coalesce(gone, '{}');
  lines := array_fill(p_head.line, array[cardinality(gone)]);
  perform sluice.note_taken(array[p_head], array[cardinality(gone)], p_now);
end
$$;

-- take_next: takes one row: of the lane whose turn it is.
create or replace function sluice.take_next(
  p_model int, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_now timestamptz,
  out gone sluice.queue[], out lines int[], out turns sluice.turn[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_turn sluice.turn := sluice.first_head(p_model, p_heads, p_rounds, p_now);
begin
  gone := '{}';
  lines := '{}';
  turns := '{}';
  cut := false;
  if v_turn.lane is not null then
    select t.* into gone, lines, cut from sluice.take_lane(p_heads[v_turn.lane], p_shares, 1, p_now) t;
  end if;
  if gone <> '{}' then  -- a deadline may have brought forward another one than the first
    v_turn.finish := v_turn.start + sluice.task_tokens(gone[1].request_bytes) / coalesce(p_heads[v_turn.lane].weight, 1);
    turns := array[v_turn];
  end if;
end
$$;

-- take_by_turns: takes the rows whose turn it is: fair_turns, within shares and quotas.
create or replace function sluice.take_by_turns(
  p_model sluice.models, p_heads sluice.head[], p_rounds sluice.lane_round[], p_shares sluice.line_share[], p_places int,
  p_limited boolean, p_now timestamptz,
  out gone sluice.queue[], out lines int[], out tokens int[], out turns sluice.turn[], out cut boolean)
language plpgsql volatile
as $$
declare
  v_line int;
  v_ids bigint[];
  v_lines int[];
  v_reserved int[];
  v_rows sluice.queue[];
begin
  gone := '{}';
  select t.turns, t.tokens, t.cut into turns, v_reserved, cut
  from sluice.turns_within(p_model, p_heads, p_rounds, p_shares, p_places, p_limited, p_now) t;
  select array_agg(t.task_id), array_agg(t.line) into v_ids, v_lines from unnest(turns) t;
  for v_line in select distinct t.line from unnest(turns) t order by t.line loop
    execute format('select sluice.draw_%s($1)', sluice.line_name(v_line)) into v_rows
    using array(select t.task_id from unnest(turns) t where t.line = v_line);
    gone := gone || v_rows;
  end loop;
  -- In the order of their turns, as far as somebody else has not ended them meanwhile. An element of an array of rows is found by walking
  -- over those before it, a number at once: hence not turns[n].
  select coalesce(array_agg(g.row order by g.n), '{}'), coalesce(array_agg(v_lines[g.n] order by g.n), '{}'),
    coalesce(array_agg(v_reserved[g.n] order by g.n), '{}')
  into gone, lines, tokens
  from (select r as row, array_position(v_ids, r.task_id) as n from unnest(gone) r) g;
  if cardinality(gone) < cardinality(turns) then
    turns := array(select t from unnest(turns) t where t.task_id in (select g.task_id from unnest(gone) g));
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
  if exists (select from unnest(p_shares) s where s.most is not null) then
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

-- expire: ends those of the given queue rows whose deadline has passed.
create or replace function sluice.expire(p_rows sluice.queue[], p_model text, p_now timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_ended bigint[];
begin
  with ended as (
    insert into sluice.result (task_id, created_at, queued_at, finished_at, fence, attempts, status, model, error_code, error)
    select q.task_id, t.created_at, q.ready_at, p_now, q.fence, q.attempts, 'expired', p_model, 'deadline',
      'the deadline passed before a worker could start it'
    from unnest(p_rows) q join sluice.task t on t.id = q.task_id
    where q.deadline <= p_now
    on conflict do nothing returning task_id)
  select array_agg(task_id) into v_ended from ended;
  perform sluice.note_ended(v_ended, 'expired');
end
$$;
