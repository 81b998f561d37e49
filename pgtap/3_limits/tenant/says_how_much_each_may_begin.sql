begin;
\ir ../../_helpers.sql
select plan(2);

select given_tenant(rpm => 600) as a \gset
select given_tenant(tpm => 6000) as b \gset
select given_tenant() as free \gset
select results_eq(format('select name, busy, requests, tokens '
                         'from sluice.tenant_allowances(array[%L, %L, %L, ''nobody''], at(0))',
  :'b', :'a', :'free'), format('values (%L, false, 7::bigint, null::bigint), (%L, false, null, 61)',
    :'a', :'b'),
  'those with a quota, in the order of their ids');
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and classid = sluice.lock_class('tenant')), 2::bigint, 'under their locks');

select * from finish();
rollback;
