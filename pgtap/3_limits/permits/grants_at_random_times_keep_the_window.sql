-- sluice.take_permits
begin;
\ir ../../_helpers.sql
select plan(2);

select setseed(0.25);
select given_model(rpm => 600) as m \gset
create temp table grants on commit drop as
select at(s) as granted_at,
  (grant_permits(quota_of(:'m'), (1 + random() * 40)::int, at(s))).granted as permits
from (select sum((random() * 0.2)::numeric) over (order by n) as s
  from generate_series(1, 2000) n) x;
select cmp_ok((select max(n) from (select sum(permits) over (order by granted_at
  range between current row and '60.249999 s' following) as n from grants) w), '<=', 600::bigint,
  'no window of a minute has more than rpm');
select cmp_ok((select sum(permits) from grants), '>',
  (0.97 * 10 * (select extract(epoch from max(granted_at) - at(0))
  from grants))::bigint, 'and the quota is used');

select * from finish();
rollback;
