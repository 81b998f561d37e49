-- sluice.take_permits
begin;
\ir ../../_helpers.sql
select plan(17);

-- The greediest worker there can be: from a full bucket, everything that is granted at the very
-- moment it can be granted, for three minutes. A call may arrive up to the send-by allowance after
-- its grant, so grants are counted in half-open windows of 60 s plus that.
create function greedy(p_model text, p_seconds int) returns table (granted_at timestamptz,
  permits int) language plpgsql
as $$
declare
  v_quota sluice.quota := quota_of(p_model);
  v_now timestamptz := at(0);
  v_next timestamptz;
begin
  while v_now < at(p_seconds) loop
    select g.granted, g.next_at into permits, v_next from grant_permits(v_quota, 1000000, v_now) g;
    granted_at := v_now;
    return next;
    v_now := v_next;
  end loop;
end
$$;
-- The most grants in any half-open window of p_length.
create function worst(p_grants regclass, p_length interval) returns bigint language plpgsql
as $$
declare
  v_worst bigint;
begin
  execute format('select max(n) from (select sum(permits) over (order by granted_at
    range between current row and %L following) as n from %s) w',
    p_length - interval '1 microsecond', p_grants)
  into v_worst;
  return v_worst;
end
$$;
create temp table quota on commit drop as
select rpm, burst, given_model(rpm => rpm, burst => burst) as model
from (values (1, null), (20, null), (20, 10), (600, null), (600, 1), (600, 300),
  (1200, null)) v(rpm, burst);
create temp table grants on commit drop as
select q.rpm, q.burst, g.* from quota q cross join lateral greedy(q.model, 180) g;
create temp table measured (rpm int, burst int, minute bigint, second bigint, five bigint,
  total bigint) on commit drop;
do $$
declare
  q record;
begin
  for q in select * from quota loop
    create temp table one on commit drop as
      select granted_at, permits from grants g where g.rpm = q.rpm
        and g.burst is not distinct from q.burst;
    insert into measured select q.rpm, q.burst, worst('one', '60.25 s'), worst('one', '1 s'),
      worst('one', '5 s'), (select sum(permits) from one);
    drop table one;
  end loop;
end
$$;

select cmp_ok(minute, '<=', rpm::bigint,
  format('rpm %s, burst %s: no window of a minute has more', rpm, burst))
from measured;
select cmp_ok(greatest(second - ceil(1e9 / t), five - ceil(5e9 / t)), '<=', b::numeric,
  format('rpm %s, burst %s: no window of L has more than b + ceil(L / T)', m.rpm, m.burst))
from measured m join quota q on q.rpm = m.rpm and q.burst is not distinct from m.burst
cross join lateral (select q.interval_ns as t, q.burst as b from quota_of(model) q) p;
select cmp_ok(total, '>=', (0.98 * 3 * rpm)::bigint,
  format('rpm %s: three minutes use 98 %% of the quota', rpm))
from measured where burst is null and rpm > 1;

select * from finish();
rollback;
