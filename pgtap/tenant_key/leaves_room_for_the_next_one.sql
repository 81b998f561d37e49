begin;
\ir ../_helpers.sql
select plan(3);

select is(sluice.tenant_key('a') = sluice.tenant_key('b'), false, 'tenants differ');
select ok(max(abs(k)) <= 4611686018427387904, '63 bits: a key and one more is a bigint') from (
  select sluice.tenant_key('t' || n) as k from generate_series(1, 1000) n) x;
select is((select indexdef ~ 'hashtextextended\(tenant, \(0\)::bigint\) >> 1' from pg_indexes
  where indexname = 'backlog_of_line'), true, 'written out in the index');

select * from finish();
rollback;
