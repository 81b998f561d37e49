-- Fairness between tenants: weighted, counted in tokens, work-conserving, and without memory. Decided when a claim takes, so a changed
-- weight, priority or quota acts on everything that waits.
--
-- A claim deals n places among the waiting tasks. Effective rank comes first, strictly; within the rank where the places
-- run out, tenants share them. Let a tenant's tasks stand one behind the other (deadline, ready_at, id), each as long as its
-- tokens / the tenant's weight. Pour the same level into all tenants until the tasks covered, a partly covered one
-- counting as its part, are n. Covered tasks are in; of the partly covered ones, at most one a tenant, systematic
-- sampling with one random number takes exactly as many as there are places left, each with the probability of its part.
-- So the tokens that a tenant may expect are exactly weight * level in every claim, however small the claim or large the
-- task; nothing is stored, hence nothing is lost in a crash and no row is hot.
-- Of one place the same comes to a lottery by weight / tokens among the heads (first_head).
-- Rejected: stored virtual times (a hot row a tenant, lost or replayed after a crash, credit of idle tenants to be
-- bounded); the n smallest virtual finishes with a random start (fair for large n, but a round of one place prefers short
-- tasks 2 : 1); places dealt by the length of the heads (a tenant that mixes 100 and 10,000 tokens got 5 times its tokens).

-- task_tokens: what a task weighs in the sharing, about: 4 bytes a token.
create or replace function sluice.task_tokens(p_request_bytes int) returns double precision
language sql immutable parallel safe
as $$ select greatest(1, p_request_bytes / 4)::double precision $$;

-- draw: a number in [0, 1), the same each time for the same p_id and p_salt.
-- Hashed twice: once leaves numbers in a row uneven (27.3 % of 10,000 below 0.3, seen).
create or replace function sluice.draw(p_id bigint, p_salt int) returns double precision
language sql immutable parallel safe
as $$ select (hashint8extended(hashint8extended(p_id, p_salt), p_salt) & 9007199254740991) / 9007199254740992.0::double precision $$;

-- rows_max: rows that a claim of p_places looks at in a lane whose tenant has p_share of all weight: as many as there are places, 32 at
-- least so that deadlines can order. With several lanes four times the lane's part of the places and some, for a tenant's tasks may be
-- shorter than the others'; with more than eight twice.
create or replace function sluice.rows_max(p_places int, p_share double precision, p_lanes bigint) returns int
language sql immutable parallel safe
as $$
  select least(greatest(p_places, 32), case when p_lanes <= 8 then 8 + ceil((256 + 4 * p_places) * p_share)
    else 2 + ceil((64 + 2 * p_places) * p_share) end)::int
$$;

-- best_rank: the best rank that waits: age lifts no lane above it.
create or replace function sluice.best_rank(p_heads sluice.head[]) returns smallint
language plpgsql immutable
as $$
begin
  return (select min(h.rank) from unnest(p_heads) h);
end
$$;

-- first_head: the lane of p_heads whose turn it is when one task is wanted: of those of the best effective rank one, drawn by weight and
-- the inverse of its first task's tokens. The one lane of that rank, mostly.
create or replace function sluice.first_head(p_heads sluice.head[], p_now timestamptz) returns sluice.head
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_best smallint := sluice.best_rank(p_heads);
begin
  return (
    select h from unnest(p_heads) h
    order by greatest(v_best, sluice.aged_rank(h.rank, h.ready_at, p_now, v_ageing)),
      -ln(1 - random()) * sluice.task_tokens(h.request_bytes) / coalesce(h.weight, 1)
    limit 1);
end
$$;

-- look_at: the first rows of the lanes p_heads, of each at most as many as rows_max says.
create or replace function sluice.look_at(p_heads sluice.head[], p_places int) returns sluice.candidate[]
language plpgsql volatile
as $$
declare
  v_line record;
  v_some sluice.candidate[];
  v_rows sluice.candidate[] := '{}';
begin
  for v_line in
    select h.line, array_agg(h.rank) as ranks, array_agg(h.tenant) as tenants, array_agg(h.ready_at) as firsts,
      array_agg(sluice.rows_max(p_places, h.weight / h.whole, h.lanes)) as limits
    from (select h.line, h.rank, h.tenant, h.ready_at, coalesce(h.weight, 1) as weight, sum(coalesce(h.weight, 1)) over () as whole,
            count(*) over () as lanes
          from unnest(p_heads) h) h
    group by h.line
  loop
    execute format('select sluice.look_%s($1, $2, $3, $4)', sluice.line_name(v_line.line)) into v_some
    using v_line.ranks, v_line.tenants, v_line.firsts, v_line.limits;
    v_rows := v_rows || v_some;
  end loop;
  return v_rows;
end
$$;

-- fair_turns: the next at most p_places tasks of the lanes p_heads, in the order in which they are to be taken.
-- A lane of which not all rows were looked at hides its further ones, so nothing of a lower rank may pass it; but for the
-- lanes of a tenant with a quota, who gets no more places than permits (27_tenant_quotas.sql).
create or replace function sluice.fair_turns(p_heads sluice.head[], p_places int, p_now timestamptz) returns sluice.candidate[]
language plpgsql volatile
as $$
declare
  v_ageing interval := (select ageing from sluice.settings);
  v_best smallint := sluice.best_rank(p_heads);
  v_start double precision := random();   -- of the sampling, and of the tenants' clocks
  v_salt int := (random() * 1e9)::int;
begin
  return (
    with lane as materialized (
      select h.line, h.rank, h.tenant, coalesce(h.weight, 1) as weight, h.room,
        sluice.rows_max(p_places, coalesce(h.weight, 1) / sum(coalesce(h.weight, 1)) over (), count(*) over ()) as rows_max
      from unnest(p_heads) h),
    seen as materialized (
      select c.*, greatest(v_best, sluice.aged_rank(c.rank, c.ready_at, p_now, v_ageing)) as aged,
        sluice.task_tokens(c.request_bytes) / l.weight as length, l.rows_max, l.room
      from unnest(sluice.look_at(p_heads, p_places)) c
      join lane l on l.line = c.line and l.rank = c.rank and l.tenant = c.tenant),
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
    select array_agg(row(c.task_id, c.line, c.rank, c.tenant, c.ready_at, c.deadline, c.request_bytes, c.place)::sluice.candidate
      order by c.aged, c.finish - c.length * sluice.draw(c.tenant, v_salt), c.task_id)
    from chosen c where c.is_in);
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
