begin;
\ir ../_helpers.sql
select plan(4);

select given_tenant(rpm => 600) as t \gset
select is(sluice.tenant_room(:'t', at(0)), 7, 'its burst');
select sluice.take_permits((select sluice.tenant_request_quota(t) from sluice.tenants t where name = :'t'), 7, at(0)) \g /dev/null
select is(sluice.tenant_room(:'t', at(0)), 1, 'one, to learn when its next permit comes');
select is(sluice.tenant_room(given_tenant(), at(0)), null, 'without a quota any number');
select is(sluice.tenant_room('nobody', at(0)), null, 'nobody has none');

select * from finish();
rollback;
