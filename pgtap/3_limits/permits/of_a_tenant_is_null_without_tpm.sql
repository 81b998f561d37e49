begin;
\ir ../../_helpers.sql
select plan(3);

select given_tenant(rpm => 600) as none, given_tenant(tpm => 6000) as t \gset
select is(sluice.token_quota(t)::text, null, 'no quota') from sluice.tenants t where name = :'none';
select is((sluice.token_quota(t)).account, -t.id, 'an account that is no model''s')
from sluice.tenants t where name = :'t';
select is((sluice.token_quota(t)).units, 6000, 'its tokens a minute') from sluice.tenants t
where name = :'t';

select * from finish();
rollback;
