-- What shadows count: the calls that began, and what a changed quota or weight would do to them.

-- shadow_calls_max: how many calls of one shadow a look reads, so that it takes half a second at
-- most; the next one goes on there. One worker looks every 45 s, and so keeps up with 600 calls a
-- second; five, with 3,000.
create or replace function sluice.shadow_calls_max() returns int
language sql immutable parallel safe
as $$ select 30000 $$;

-- attempts_since: an id below those of attempts that are still to be committed.
create or replace function sluice.attempts_since() returns bigint
language sql volatile
as $$ select coalesce(max(a.id), 0) - 1000 from sluice.attempt a $$;

-- begun_calls: the calls that a shadow counts, in the order of their beginnings. tokens: used, or
-- estimated while a call is under way.
-- Params:  p_max: so many at most; if there are more, those of the last moment are left out.
create or replace function sluice.begun_calls(
  p_shadow sluice.shadow, p_until timestamptz, p_max int default sluice.shadow_calls_max())
returns setof sluice.begun_call
language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with begun as (
    select r.started_at as at, r.model, r.task_id,
      coalesce(r.input_tokens, 0)::bigint + coalesce(r.output_tokens, 0) as tokens
    from sluice.result r
    where r.finished_at >= p_shadow.looked_at and r.started_at > p_shadow.looked_at
      and r.started_at <= p_until and r.model is not null
    union all
    select a.started_at, a.model, a.task_id,
      coalesce(a.input_tokens, 0)::bigint + coalesce(a.output_tokens, 0)
    from sluice.attempt a
    where a.id >= p_shadow.attempt and a.started_at > p_shadow.looked_at
      and a.started_at <= p_until and a.model is not null
    union all
    select l.started_at, m.name, l.task_id, greatest(l.reserved_tokens,
      sluice.estimate_tokens(l.model, l.request_bytes, t.max_output_tokens))
    from sluice.lease l join sluice.models m on m.id = l.model
    cross join lateral (
      select t.max_output_tokens from sluice.task t where t.id = l.task_id limit 1) t
    where l.started_at > p_shadow.looked_at and l.started_at <= p_until),
  meant as materialized (
    select b.at, b.model, b.tokens from begun b
    where case p_shadow.kind when 'models' then b.model = p_shadow.name
      when 'tenants' then (select t.tenant from sluice.task t where t.id = b.task_id)
        = p_shadow.name
      else (select t.route from sluice.task t where t.id = b.task_id) = p_shadow.name end
    order by b.at limit p_max + 1)
  select m.at, m.model, m.tokens from meant m
  where (select count(*) from meant) <= p_max or m.at < (select max(l.at) from meant l)
  order by m.at;
end
$$;

-- count_delayed: counts the calls of a model or tenant that a changed quota would let begin later.
-- They go through its bucket (3_limits/permits.sql) in their order. With s(i) when call i began,
-- u(i) the units of the calls before it, and T the interval, TAT(i) = max(TAT(i-1), s(i)) + units T
-- is u(i) T + max(TAT(0), s(j) - u(j) T for all j < i) just before call i: a sum and a maximum over
-- the calls, and no loop. A call is delayed until TAT - (burst - 1) T. Times are in seconds since
-- the last look; less than a microsecond is no delay.
-- Returns: the shadow, with its buckets, as it is after the look.
create or replace function sluice.count_delayed(p_shadow sluice.shadow, p_until timestamptz)
returns sluice.shadow
language plpgsql volatile
as $$
declare
  -- In requests and in tokens, as the change would have them; null: there is none.
  v_quotas sluice.quota[] := case p_shadow.kind
    when 'models' then (select array[sluice.request_quota(c), sluice.token_quota(c)]
      from sluice.models m cross join lateral jsonb_populate_record(m, p_shadow.changes) c
      where m.name = p_shadow.name)
    else (select array[sluice.request_quota(c), sluice.token_quota(c)]
      from sluice.tenants t cross join lateral jsonb_populate_record(t, p_shadow.changes) c
      where t.name = p_shadow.name) end;
  v_from timestamptz := p_shadow.looked_at;
  v_hours sluice.shadow_hour[];
  v_count bigint;
  v_last timestamptz;
  v_tats double precision[];
begin
  with call as materialized (
    select c.at, c.model, c.tokens, c.ordinality as n,
      sluice.seconds_between(v_from, c.at) as at_s
    from sluice.begun_calls(p_shadow, p_until) with ordinality c),
  quota as (
    select q.ordinality as nth, q.burst, q.interval_ns / 1e9::double precision as interval_s,
      sluice.seconds_between(v_from, case q.ordinality when 1 then p_shadow.requests_until
        else p_shadow.tokens_until end) as tat
    from unnest(v_quotas) with ordinality q where q.bucket is not null),
  used as (
    select c.n, c.at_s, q.*,
      case q.nth when 1 then 1 else c.tokens end::double precision as units
    from call c cross join quota q),
  summed as (
    select u.*, sum(u.units) over (partition by u.nth order by u.n) - u.units as before
    from used u),
  taken as materialized (
    select s.n, s.nth, s.at_s, s.burst, s.interval_s, s.units, s.before * s.interval_s
      + greatest(s.tat, max(s.at_s - s.before * s.interval_s) over (partition by s.nth
        order by s.n rows between unbounded preceding and 1 preceding)) as tat
    from summed s),
  delay as (
    select t.n, max(t.tat - (t.burst - 1) * t.interval_s - t.at_s) as delay_s
    from taken t group by t.n),
  hour as (
    select date_trunc('hour', c.at, 'UTC') as at, c.model, count(*) as calls,
      count(*) filter (where d.delay_s > 1e-6) as delayed,
      coalesce(sum(d.delay_s) filter (where d.delay_s > 1e-6), 0) as delay_s
    from call c left join delay d using (n) group by 1, 2)
  select (select array_agg(row(p_shadow.id, h.at, h.model, h.calls, h.calls, h.delayed, h.delay_s,
      0)::sluice.shadow_hour) from hour h),
    (select count(*) from call), (select max(c.at) from call c),
    array(select (select greatest(t.tat, t.at_s) + t.units * t.interval_s from taken t
      where t.nth = k.nth order by t.n desc limit 1) from (values (1), (2)) k(nth) order by k.nth)
  into v_hours, v_count, v_last, v_tats;
  perform sluice.add_shadow_hours(v_hours);
  p_shadow.requests_until := coalesce(v_from + v_tats[1] * interval '1 second',
    p_shadow.requests_until);
  p_shadow.tokens_until := coalesce(v_from + v_tats[2] * interval '1 second',
    p_shadow.tokens_until);
  p_shadow.looked_at := sluice.looked_until(v_count, sluice.shadow_calls_max(), v_last, p_until);
  return p_shadow;
end
$$;

-- looked_until: up to when a look has counted: all, unless it has read p_max calls. Those of the
-- last moment were left out then (begun_calls); up to 1,000 share one.
create or replace function sluice.looked_until(
  p_calls bigint, p_max int, p_last timestamptz, p_until timestamptz) returns timestamptz
language sql immutable parallel safe
as $$
  select case when p_calls > p_max - 1000 then p_last else p_until end
$$;

-- count_moved: counts how many calls each model of a route would have had by the changed weights:
-- they share what began, hour by hour, as far as they could be called: models that had calls of the
-- route, and those that had no weight and are open.
-- Returns: the shadow as it is after the look.
create or replace function sluice.count_moved(p_shadow sluice.shadow, p_until timestamptz)
returns sluice.shadow
language plpgsql volatile
as $$
declare
  v_hours sluice.shadow_hour[];
  v_count bigint;
  v_last timestamptz;
begin
  with call as materialized (select c.at, c.model from sluice.begun_calls(p_shadow, p_until) c),
  had as (
    select date_trunc('hour', c.at, 'UTC') as at, c.model, count(*) as calls from call c
    group by 1, 2),
  weight as (
    select m.name as model, coalesce((p_shadow.changes ->> m.name)::double precision, r.weight)
      as weight
    from sluice.models m left join sluice.routes r on r.route = p_shadow.name
      and r.model = m.name
    where exists (select from call c where c.model = m.name)
      or coalesce(r.weight, 0) = 0 and sluice.opens_at(m, p_until) <= p_until),
  share as (
    select w.model, w.weight / sum(w.weight) over () as share from weight w where w.weight > 0),
  expected as (
    select a.at, s.model, a.calls * s.share as calls
    from (select h.at, sum(h.calls)::double precision as calls from had h group by h.at) a
    cross join share s)
  select (select array_agg(row(p_shadow.id, at, model, coalesce(h.calls, 0),
      case when exists (select from share) then coalesce(e.calls, 0) else h.calls end, 0, 0, 0)
        ::sluice.shadow_hour) from had h full join expected e using (at, model)),
    (select count(*) from call), (select max(c.at) from call c)
  into v_hours, v_count, v_last;
  perform sluice.add_shadow_hours(v_hours);
  p_shadow.looked_at := sluice.looked_until(v_count, sluice.shadow_calls_max(), v_last, p_until);
  return p_shadow;
end
$$;

-- add_shadow_hours: adds to what a shadow has counted.
create or replace function sluice.add_shadow_hours(p_hours sluice.shadow_hour[]) returns void
language plpgsql volatile
as $$
begin
  insert into sluice.shadow_hour as s (shadow, at, model, calls, expected, delayed, delay_s,
    refused)
  select h.shadow, h.at, h.model, sum(h.calls), sum(h.expected), sum(h.delayed), sum(h.delay_s),
    sum(h.refused)
  from unnest(p_hours) h group by 1, 2, 3
  on conflict (shadow, at, model) do update set calls = s.calls + excluded.calls,
    expected = s.expected + excluded.expected, delayed = s.delayed + excluded.delayed,
    delay_s = s.delay_s + excluded.delay_s, refused = s.refused + excluded.refused;
end
$$;
