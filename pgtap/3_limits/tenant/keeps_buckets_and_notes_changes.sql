-- sluice.before_tenant_changes
begin;
\ir ../../_helpers.sql
select plan(8);

select given_tenant() as free \gset
select id from sluice.tenants where name = :'free' \gset
select hasnt_sequence('sluice', 'tenant_bucket_' || :id, 'without a quota there is no bucket');
update sluice.tenants set rpm = 60 where name = :'free';
select has_sequence('sluice', 'tenant_bucket_' || :id, 'with one there is');
select has_sequence('sluice', 'tenant_tokens_' || :id, 'of both kinds');
select isnt(limits_changed_at, null, 'a changed limit is noted') from sluice.tenants
where name = :'free';
update sluice.tenants set limits_changed_at = null, weight = 2 where name = :'free';
select is(limits_changed_at, null, 'a weight is no limit') from sluice.tenants where name = :'free';
select is(sluice.permits_now(sluice.request_quota(t), at(0)), 1::bigint, 'a new bucket is full')
from sluice.tenants t where name = :'free';
set constraints all immediate;
delete from sluice.tenants where name = :'free';
select hasnt_sequence('sluice', 'tenant_bucket_' || :id, 'it goes with the tenant');
select hasnt_sequence('sluice', 'tenant_tokens_' || :id, 'both do');

select * from finish();
rollback;
