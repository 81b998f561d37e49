-- Fairness between tenants: weighted, counted in tokens, work-conserving, and without memory.
--
-- A round deals n places among the waiting tasks. Effective rank comes first, strictly; within the rank where the places
-- run out, tenants share them. Let a tenant's tasks stand one behind the other (deadline, ready_at, id), each as long as its
-- tokens / the tenant's weight. Pour the same level into all tenants until the tasks covered, a partly covered one
-- counting as its part, are n. Covered tasks are in; of the partly covered ones, at most one a tenant, systematic
-- sampling with one random number takes exactly as many as there are places left, each with the probability of its part.
-- So the tokens that a tenant may expect are exactly weight * level in every round, however small the round or large the
-- task; nothing is stored, hence nothing is lost in a crash and no row is hot.
-- Rejected: stored virtual times (a hot row a tenant, lost or replayed after a crash, credit of idle tenants to be
-- bounded); the n smallest virtual finishes with a random start (fair for large n, but a round of one place prefers short
-- tasks 2 : 1); a lottery by weight / tokens (fair for any n, but with the spread of a lottery).

-- task_tokens: what a task weighs in the sharing, about: 4 bytes a token.
create or replace function sluice.task_tokens(p_request_bytes int) returns double precision
language sql immutable parallel safe
as $$ select greatest(1, p_request_bytes / 4)::double precision $$;

-- rows_max: rows that a round of p_places looks at in a lane whose tenant has p_share of all weight: as many as there are
-- places, 32 at least so that deadlines can order; with many lanes four times the lane's part of the places and some.
create or replace function sluice.rows_max(p_places int, p_share double precision) returns int
language sql immutable parallel safe
as $$ select least(greatest(p_places, 32), 8 + ceil((256 + 4 * p_places) * p_share))::int $$;

-- fair_turns: the next at most p_places tasks of the lanes p_heads, in the order in which they are to be admitted.
-- A lane of which not all rows were looked at hides its further ones, so nothing of a lower rank may pass it; but for the
-- lanes of a tenant with a quota, who gets no more places than permits (27_tenant_quotas.sql); beside tenants without one,
-- whose rows fill the queue until the next round, those of a second more: with its burst alone it got half of its rate
-- beside a fast tenant, now 85 % (two seconds: no better).
create or replace function sluice.fair_turns(p_heads sluice.lane_head[], p_places int, p_now timestamptz)
returns sluice.waiting_task[]
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_start double precision := random();   -- of the sampling, and of the tenants' clocks
  v_salt int := (random() * 1e9)::int;
  v_leader sluice.lane_head := sluice.leader(p_heads, p_places, v_ageing, p_now);
begin
  if v_leader is not null then
    return sluice.lane_turns(v_leader, p_places, v_ageing, p_now);
  end if;
  return (
    with open as materialized (
      select h.*, coalesce(t.weight, 1)::double precision as weight,
        case when q.room = 0 or bool_and(q.room is not null) over () then q.room else q.ahead end as room
      from unnest(p_heads) h left join sluice.tenants t on sluice.tenant_key(t.name) = h.tenant
      left join lateral sluice.tenant_room(t.name, p_now) q on t.rpm is not null or t.tpm is not null),
    lane as materialized (
      select * from (
        select o.*, rank() over (order by sluice.aged_rank(o.rank, o.ready_at, p_now, v_ageing)) as place
        from open o where o.room is distinct from 0) o
      where o.place <= p_places),
    seen as materialized (
      select b.task_id, l.line, b.rank, sluice.aged_rank(b.rank, b.ready_at, p_now, v_ageing) as aged, l.tenant, b.fence,
        sluice.task_tokens(b.request_bytes) / l.weight as length, b.deadline, b.ready_at, b.place, l.rows_max, l.room
      from (select l.*, sluice.rows_max(p_places, weight / sum(weight) over ()) as rows_max from lane l) l
      cross join lateral (
        select b.task_id, b.rank, b.ready_at, b.fence, b.request_bytes, b.deadline,
          row_number() over (order by b.ready_at, b.task_id) as place
        from sluice.backlog b
        where b.due and sluice.line_of(b.model, b.route) = l.line and b.rank = l.rank
          and sluice.tenant_key(b.tenant) = l.tenant and b.ready_at >= l.ready_at
        order by b.ready_at, b.task_id limit l.rows_max) b),
    turn as materialized (
      select s.*, sum(s.length) over w as finish,
        count(*) over (order by s.aged) as places_through, count(*) over (partition by s.aged) as in_rank
      from (select s.*, row_number() over (partition by s.tenant order by s.aged, s.deadline, s.ready_at, s.task_id) as nth
            from seen s) s
      where s.aged <= coalesce((select min(s.aged) from seen s where s.place = s.rows_max and s.room is null), 100)
        and coalesce(s.nth <= s.room, true)
      window w as (partition by s.aged, s.tenant order by s.deadline, s.ready_at, s.task_id
                   rows unbounded preceding)),
    poured as materialized (
      select sluice.fair_level(array_agg(t.finish), array_agg(t.length),
        p_places - min(t.places_through - t.in_rank)) as level
      from turn t where t.places_through - t.in_rank < p_places and t.places_through > p_places),
    part as materialized (
      select t.*, case when t.places_through <= p_places then 1
          else least(1, greatest(0, (f.level - t.finish + t.length) / t.length)) end as part
      from turn t, poured f
      where t.places_through - t.in_rank < p_places),
    chosen as (
      select p.*, floor(sum(p.part) over w + v_start) > floor(sum(p.part) over w - p.part + v_start) as is_in
      from part p where p.part > 0
      window w as (order by p.aged, p.tenant, p.finish rows unbounded preceding))
    -- In the order of their finish, each tenant's clock started at random: whoever takes only the first few is fair, too.
    select array_agg(row(c.task_id, c.line, c.rank, c.aged, c.tenant, c.fence,
        case when c.line like 'route\_%' then (select t.api from sluice.task t where t.id = c.task_id) end
      )::sluice.waiting_task
      order by c.aged, c.finish - c.length * sluice.draw(c.tenant, v_salt), c.task_id)
    from chosen c where c.is_in);
end
$$;

-- leader: the lane of p_heads that gives all of p_places by itself: the only one, or one whose tasks up to that place all have
-- better ranks than the best of every other lane. Null: they share. With ten million tasks of three
-- priorities waiting an admission of 25 took 5.8 ms, now 3.5, and with ten thousand 4.8, now 3.4.
-- Not a tenant's with a quota: what it may not use goes to the others.
create or replace function sluice.leader(p_heads sluice.lane_head[], p_places int, p_ageing interval, p_now timestamptz)
returns sluice.lane_head
language plpgsql volatile
as $$
declare
  v_heads sluice.lane_head[];
  v_ranks smallint[];
  v_first sluice.lane_head;
  v_last timestamptz;
begin
  if cardinality(p_heads) = 1 then
    return p_heads[1];
  end if;
  select array_agg(h order by a.aged), array_agg(a.aged order by a.aged) into v_heads, v_ranks
  from unnest(p_heads) h cross join lateral sluice.aged_rank(h.rank, h.ready_at, p_now, p_ageing) a(aged);
  v_first := v_heads[1];
  if v_ranks[1] = v_ranks[2] or exists (
      select from sluice.tenants t
      where sluice.tenant_key(t.name) = v_first.tenant and (t.rpm is not null or t.tpm is not null)) then
    return null;
  end if;
  v_last := (
    select b.ready_at from sluice.backlog b
    where b.due and sluice.line_of(b.model, b.route) = v_first.line and b.rank = v_first.rank
      and sluice.tenant_key(b.tenant) = v_first.tenant and b.ready_at >= v_first.ready_at
    order by b.ready_at, b.task_id offset greatest(p_places, 1) - 1 limit 1);
  return case when v_last is not null and sluice.aged_rank(v_first.rank, v_last, p_now, p_ageing) < v_ranks[2] then v_first end;
end
$$;

-- lane_turns: fair_turns of one lane alone, which shares with nobody: in a third of the time, for that is the common case.
create or replace function sluice.lane_turns(p_head sluice.lane_head, p_places int, p_ageing interval, p_now timestamptz)
returns sluice.waiting_task[]
language plpgsql volatile
as $$
declare
  v_places int := least(p_places, (
    select (sluice.tenant_room(t.name, p_now)).room from sluice.tenants t
    where sluice.tenant_key(t.name) = p_head.tenant and (t.rpm is not null or t.tpm is not null)));
begin
  return (
    with seen as materialized (
      select b.task_id, sluice.aged_rank(b.rank, b.ready_at, p_now, p_ageing) as aged, b.fence, b.deadline, b.ready_at
      from sluice.backlog b
      where b.due and sluice.line_of(b.model, b.route) = p_head.line and b.rank = p_head.rank
        and sluice.tenant_key(b.tenant) = p_head.tenant and b.ready_at >= p_head.ready_at
      order by b.ready_at, b.task_id limit sluice.rows_max(v_places, 1)),
    turn as (select * from seen order by aged, deadline, ready_at, task_id limit v_places)
    select array_agg(row(t.task_id, p_head.line, p_head.rank, t.aged, p_head.tenant, t.fence,
        case when p_head.line like 'route\_%' then (select k.api from sluice.task k where k.id = t.task_id) end
      )::sluice.waiting_task order by t.aged, t.deadline, t.ready_at, t.task_id)
    from turn t);
end
$$;

-- fair_level: the level at which p_places tasks are covered. Params: where each task ends, and its length; p_places.
-- Between two ends or beginnings the covered number grows evenly, by 1 / length for each task that is partly covered.
create or replace function sluice.fair_level(
  p_finishes double precision[], p_lengths double precision[], p_places double precision) returns double precision
language plpgsql immutable
as $$
begin
  return (
    with bend as (
      select e.at, sum(e.bend) as bend
      from unnest(p_finishes, p_lengths) t(finish, length)
      cross join lateral (values (t.finish - t.length, 1 / t.length), (t.finish, -1 / t.length)) e(at, bend)
      group by e.at),
    piece as (
      select at, sum(bend) over (order by at) as slope, lead(at) over (order by at) - at as width from bend),
    curve as (
      select at, slope, sum(slope * width) over (order by at) as covered, slope * width as gained from piece
      where width is not null)
    select at + (p_places - covered + gained) / slope from curve
    where covered >= p_places - 1e-9 and slope > 1e-12 order by at limit 1);
end
$$;
