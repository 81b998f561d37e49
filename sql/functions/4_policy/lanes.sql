-- The lanes of a line: (rank, tenant). A skip scan finds the waiting ones (lanes_<l>,
-- 5_lifecycle/generated_lanes.sql); marks let it step over consumed rows. It costs 8 us for each
-- lane that is looked at, so a claim looks at a few and goes through the others in rounds.

-- window_max: how many lanes of one line a claim looks at, at most. If there are more lanes it goes
-- through them in rounds.
create or replace function sluice.window_max() returns int
language sql immutable parallel safe
as $$ select 64 $$;

-- weighed: p_heads with their tenants' weights and the headroom that quotas leave them, without
-- those whose tenants may not have a call now. Each tenant is asked for once, at 50 us, however
-- many of the lanes are its own (D-270).
create or replace function sluice.weighed(p_heads sluice.head[], p_now timestamptz)
returns sluice.head[]
language plpgsql volatile
as $$
begin
  if not exists (select from sluice.tenants) then
    return p_heads;
  end if;
  return array(
    select row(w.line, w.rank, w.tenant, w.ready_at, w.request_bytes, w.share,
      w.left_now)::sluice.head
    from (
      select h.*, coalesce(t.weight, 1) as share,
        max(case when h.nth = 1 and (t.rpm is not null or t.tpm is not null)
          then (sluice.tenant_headroom(t.name, p_now)).headroom end) over (partition by h.tenant)
          as left_now
      from (select h.*, row_number() over (partition by h.tenant) as nth
        from unnest(p_heads) with ordinality h) h
      left join sluice.tenants t on sluice.tenant_key(t.name) = h.tenant) w
    where w.left_now is distinct from 0 order by w.ordinality);
end
$$;

-- looks_max: for how many lanes one claim asks for their tenants' quotas, at up to 50 us each. It
-- is not lower although many may have no call: 64 of these would hide an open lane behind them.
create or replace function sluice.looks_max() returns int
language sql immutable parallel safe
as $$ select 1000 $$;

-- open_heads: the first p_max lanes of p_line, from (p_rank, p_tenant) on, whose tenants may have a
-- call now, if they are among the next looks_max. If not, the second half of the look goes on where
-- the last such look ended, so that each lane has its turn.
create or replace function sluice.open_heads(
  p_line int, p_max int, p_now timestamptz, p_rank smallint default -sluice.rank_max(),
  p_tenant bigint default null, p_last smallint default sluice.rank_max()) returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_step int := p_max;
  v_some sluice.head[] := sluice.lane_heads(p_line, v_step, p_rank, p_tenant, p_last, p_now);
  v_count int := cardinality(v_some);
  v_seen int := v_count;
  v_open sluice.head[] := sluice.weighed(v_some, p_now);
  v_at sluice.head;  -- the lane before the next ones
  v_ended sluice.meter;
  v_far boolean := false;
begin
  while v_count = v_step and cardinality(v_open) < p_max and v_seen < sluice.looks_max() loop
    v_step := sluice.window_max();
    v_at := v_some[v_count];
    if not v_far and v_seen >= sluice.looks_max() / 2 then
      v_far := true;
      v_ended := sluice.meter_of(p_line, sluice.meter_for('lanes'));
      if (v_ended.weight, v_ended.tenant) > (v_at.rank, v_at.tenant) then
        v_at.rank := v_ended.weight;
        v_at.tenant := v_ended.tenant;
      end if;
    end if;
    v_some := sluice.lane_heads(p_line, v_step, v_at.rank, v_at.tenant + 1, p_last, p_now);
    v_count := cardinality(v_some);
    v_seen := v_seen + v_count;
    v_open := v_open || sluice.weighed(v_some, p_now);
  end loop;
  if v_far then  -- at the end: the next look begins behind the first half
    v_at := case when cardinality(v_open) > p_max then v_open[p_max] when v_count = v_step
      then v_some[v_count] end;
    perform sluice.note_meter(p_line, sluice.meter_for('lanes'), p_now, 0,
      coalesce(v_at.rank, -1000), v_at.tenant);
  end if;
  return v_open[:p_max];
end
$$;

-- old_lanes: now and then a few lanes of worse ranks than p_rank, from a random position on, whose
-- age lifts them to p_rank. Without this a claim in a round would never see lanes that have grown
-- old.
create or replace function sluice.old_lanes(
  p_line int, p_rank smallint, p_last smallint, p_looks int, p_now timestamptz)
returns sluice.head[]
language plpgsql volatile
as $$
declare
  v_max int := greatest(1, p_looks / 8);
  v_heads sluice.head[];
begin
  if p_rank >= p_last or random() >= 0.25 then
    return '{}';
  end if;
  v_heads := sluice.open_heads(p_line, v_max, p_now,
    (p_rank + 1 + floor(random() * (p_last - p_rank)))::smallint,
    ((random() * 2 - 1) * 4611686018427387903)::bigint, p_last);
  if v_heads = '{}' then
    v_heads := sluice.open_heads(p_line, v_max, p_now, (p_rank + 1)::smallint, null, p_last);
  end if;
  return array(select h from unnest(v_heads) h
               where sluice.aged_rank(h.rank, h.ready_at, p_now,
                 (select ageing from sluice.settings)) <= p_rank);
end
$$;

-- round_of: a model's round through a line; all null: there was none.
create or replace function sluice.round_of(p_model int, p_line int) returns sluice.lane_round
language plpgsql volatile
as $$
begin
  return (select r from sluice.lane_round r where r.model = p_model and r.line = p_line
    order by r.model, r.line, r.n desc limit 1);
end
$$;

-- note_round: notes that p_passed lanes had their turns and gave p_taken tasks. The round goes on
-- with p_next; null: it has ended. Requires the model's lock.
create or replace function sluice.note_round(
  p_round sluice.lane_round, p_next bigint, p_passed int default 0, p_taken int default 0)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.lane_round (model, line, n, rank, next, begins, ends, passed, taken)
  values (p_round.model, p_round.line, nextval('sluice.mark_id'), p_round.rank, p_next,
    p_round.begins, p_round.ends, p_round.passed + p_passed, p_round.taken + p_taken);
end
$$;

-- new_round: a model's next round through the lanes of p_rank. It begins where the last one ended.
-- Its length is such that a lane gives one task more than is needed to get p_want tasks from
-- p_looks lanes, so that a claim finds what it wants. The length follows from the last round, else
-- from the first tasks of p_window (D-004).
create or replace function sluice.new_round(
  p_last sluice.lane_round, p_model int, p_line int, p_rank smallint, p_window sluice.head[],
  p_looks int, p_want int)
returns sluice.lane_round
language plpgsql volatile
as $$
declare
  -- Rounds through lanes that are locked, or have one task each, give less than is wanted, however
  -- long they are: soon no clock could tell a task's length from nothing.
  c_length_max constant double precision := 100;
  v_tasks double precision := 1 + p_want::double precision / p_looks;
  v_begins double precision := coalesce(greatest(p_last.ends,
    sluice.clock_of(p_model, p_rank, sluice.level_key())), 0);
  v_length double precision := v_tasks * (select count(*) / sum(coalesce(h.weight,
    1) / sluice.task_tokens(h.request_bytes)) from unnest(p_window) h);
begin
  if p_last.rank = p_rank and p_last.passed > 0 then
    v_length := least(c_length_max * v_length, (p_last.ends - p_last.begins) * least(4,
      case p_last.taken when 0 then 1
      else greatest(0.25, v_tasks * p_last.passed / p_last.taken) end));
  end if;
  return row(p_model, p_line, 0, p_rank, null, v_begins, v_begins + v_length, 0,
    0)::sluice.lane_round;
end
$$;

-- note_rounds: after p_turns of the lanes p_heads were taken, notes where the rounds p_rounds go
-- on.
-- Params:  p_is_cut: there may be turns left among p_heads: the round goes on with the last lane
--          that gave any; else behind p_heads. Requires the model's lock.
create or replace function sluice.note_rounds(
  p_rounds sluice.lane_round[], p_heads sluice.head[], p_turns sluice.turn[], p_is_cut boolean)
returns void
language plpgsql volatile
as $$
begin
  perform sluice.note_round(r, n.next, n.passed, t.taken)
  from unnest(p_rounds) r
  cross join lateral (select max(t.tenant) as last, count(*)::int as taken from unnest(p_turns) t
                      where t.line = r.line and t.rank = r.rank) t
  cross join lateral (
    select n.next, (select count(*)::int from unnest(p_heads) h where h.line = r.line
      and h.rank = r.rank and h.tenant < n.next) as passed
    from (select case when p_turns = '{}' or not p_is_cut then max(h.tenant) + 1
      else coalesce(t.last, min(h.tenant)) end as next
          from unnest(p_heads) h where h.line = r.line and h.rank = r.rank) n) n;
end
$$;

-- waiting_lanes: the lanes of p_line that a claim looks at: all, if there are at most p_looks. Else
-- those of the best ranks and, of the rank in which there are too many, the next few of a round.
-- Params:  p_first, p_last: the best rank and the worst one to look at; p_want: how many tasks the
--          claim wants. Requires the model's lock.
-- Returns: heads; round: the round to which the heads of its rank belong; all null: heads are all
--          the lanes.
create or replace function sluice.waiting_lanes(
  p_model int, p_line int, p_looks int, p_last smallint, p_want int, p_now timestamptz,
  p_first smallint,
  out heads sluice.head[], out round sluice.lane_round)
language plpgsql volatile
as $$
declare
  v_some int := least(p_looks, p_want + 3);  -- of a round: some have had their turns already
  v_better sluice.head[];
  v_window sluice.head[] := '{}';
  v_rank smallint;
begin
  round := sluice.round_of(p_model, p_line);
  if round.next is not null
    and (sluice.open_heads(p_line, 1, p_now, p_first, p_last => p_last))[1].rank = round.rank then
    heads := sluice.open_heads(p_line, v_some, p_now, round.rank, round.next, round.rank);
  end if;
  if heads <> '{}' then  -- mostly all lanes of the best rank are one round
    heads := heads || sluice.old_lanes(p_line, round.rank, p_last, p_looks, p_now);
    return;
  end if;
  heads := sluice.open_heads(p_line, p_looks + 1, p_now, p_first, p_last => p_last);
  if cardinality(heads) <= p_looks then
    if round.next is not null then
      perform sluice.note_round(round, null);
    end if;
    round := null;
    return;
  end if;
  v_rank := heads[p_looks + 1].rank;
  v_better := array(select h from unnest(heads) h where h.rank < v_rank);
  v_some := greatest(1, least(v_some, p_looks - cardinality(v_better)));
  if round.next is not null and (v_better <> '{}' or round.rank <> v_rank) then
    v_window := sluice.open_heads(p_line, v_some, p_now, v_rank, round.next, v_rank);
  end if;
  if v_window = '{}' then
    v_window := array(select h from unnest(heads) h where h.rank = v_rank limit v_some);
    round := sluice.new_round(round, p_model, p_line, v_rank, v_window, p_looks, p_want);
  elsif round.rank <> v_rank then
    round := sluice.new_round(round, p_model, p_line, v_rank, v_window, p_looks, p_want);
  end if;
  heads := v_better || v_window || sluice.old_lanes(p_line, v_rank, p_last, p_looks, p_now);
end
$$;

-- first_turn: when the tenants' quotas let a claim take the first task of p_line: p_now, or later;
-- null: nothing waits. With more than 500 lanes at most a second later, because each claim looks at
-- other lanes. Requires no lock.
create or replace function sluice.first_turn(p_line int, p_now timestamptz) returns timestamptz
language plpgsql volatile
as $$
declare
  v_heads sluice.head[] := sluice.lane_heads(p_line, 1, p_now => p_now);
  v_at timestamptz;
begin
  if v_heads = '{}' then
    return null;
  elsif not exists (select from sluice.tenants t where t.rpm is not null or t.tpm is not null) then
    return p_now;
  end if;
  v_heads := sluice.lane_heads(p_line, 500, p_now => p_now);
  if sluice.weighed(v_heads, p_now) <> '{}' then
    return p_now;
  end if;
  v_at := (select min((sluice.tenant_headroom(t.name, p_now)).next_at)
           from (select distinct h.tenant from unnest(v_heads) h) h join sluice.tenants t
             on sluice.tenant_key(t.name) = h.tenant);
  return greatest(p_now, case when cardinality(v_heads) = 500
    then least(v_at, p_now + interval '1 second') else v_at end);
end
$$;
