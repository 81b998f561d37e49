begin;
\ir ../../_helpers.sql
select plan(8);

select given_tenant(rpm => 600) as t \gset
select is((sluice.tenant_headroom(:'t', at(0))).headroom, 7, 'its burst');
select is((sluice.tenant_headroom(:'t', at(0))).next_at, null, 'now');
create function drain(p_tenant text) returns void language sql
as $$ select sluice.take_permits(sluice.request_quota(t), 100, at(0)) from sluice.tenants t
  where name = p_tenant $$;
select drain(:'t');
select is((sluice.tenant_headroom(:'t', at(0))).headroom, 0, 'none without a permit');
select is((sluice.tenant_headroom(:'t', at(0))).next_at,
  (select sluice.permit_at(sluice.request_quota(t), at(0))
  from sluice.tenants t where name = :'t'), 'until the next one');
select given_tenant(rpm => 1) as slow \gset
select drain(:'slow');
select is((sluice.tenant_headroom(:'slow', at(0))).next_at, at(10),
  'at most 10 s: the limit may be raised');
select is((sluice.tenant_headroom(given_tenant(tpm => 600), at(0))).headroom, 1,
  'one for the tokens that would not do for the smallest');
select is((sluice.tenant_headroom(given_tenant(), at(0))).headroom, null,
  'without a quota any number');
select is((sluice.tenant_headroom('nobody', at(0))).headroom, null, 'nobody has none');

select * from finish();
rollback;
