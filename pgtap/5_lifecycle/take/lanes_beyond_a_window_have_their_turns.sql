-- sluice.take_turns
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(3);

-- 300 tenants, half of them of three times the weight; claims of one and of twenty.
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select setseed(0.3) \g /dev/null
insert into sluice.tenants (name, weight) select format('t%s-%s', pg_backend_pid(), n),
  case when n % 2 = 0 then 3 else 1 end
  from generate_series(1, 300) n;
select waits(:'m', format('t%s-%s', pg_backend_pid(), n), 60)
from generate_series(1, 300) n \g /dev/null
select cardinality(claimed(:w, case when n % 20 = 0 then 1 else 20 end, at(60 + n * 0.01)))
from generate_series(1, 300) n \g /dev/null
create temporary table got on commit drop as
select l.tenant, count(*) as n,
  (select weight from sluice.tenants t where t.name = l.tenant) as weight from sluice.lease l
  where l.worker = :w group by 1;
select is((select count(*) from got), 300::bigint, 'every tenant has been served');
select ok((select sum(n) filter (where weight = 3)::float / sum(n) filter (where weight = 1)
  from got) between 2.5 and 3.5,
  'by weight: ' || (select round(sum(n) filter (where weight
    = 3)::numeric / sum(n) filter (where weight = 1), 2) from got));
select cmp_ok((select min(n / weight) from got), '>=', 0.3 * (select sum(n) / sum(weight) from got),
  'none far behind');

select * from finish();
rollback;
