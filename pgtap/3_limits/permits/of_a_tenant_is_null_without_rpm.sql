begin;
\ir ../../_helpers.sql
select plan(3);

select given_tenant(tpm => 600) as none, given_tenant(rpm => 600) as t \gset
select is(sluice.request_quota(t)::text, null, 'no quota') from sluice.tenants t
where name = :'none';
select is((sluice.request_quota(t)).bucket, 'tenant_bucket_' || t.id, 'its own bucket')
from sluice.tenants t where name = :'t';
select is((sluice.request_quota(t)).interval_ns,
  (sluice.quota_of('', null, 600, 7, null)).interval_ns, 'at its pace')
from sluice.tenants t where name = :'t';

select * from finish();
rollback;
