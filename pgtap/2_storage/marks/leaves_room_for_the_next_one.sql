begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.tenant_key('a') = sluice.tenant_key('b'), false, 'tenants differ');
select ok(max(abs(k)) <= 4611686018427387904, '63 bits: a key and one more is a bigint') from (
  select sluice.tenant_key('t' || n) as k from generate_series(1, 1000) n) x;
select given_model() as m \gset
select ok(exists (select from pg_indexes where tablename = 'queue_' || id_of(:'m')
    and indexdef ~ 'hashtextextended\(tenant, \(0\)::bigint\) >> 1'),
      'written out in the index of a line');

select * from finish();
rollback;
