begin;
\ir ../_helpers.sql
\ir _helpers.sql
select plan(3);

select given_model() as m \gset
select given_tenant(rpm => 600) as slow, given_tenant(rpm => 600) as other, given_tenant() as free \gset
select waits(:'m', :'slow', 100);
select waits(:'m', :'other', 100);
select is(count(*) filter (where tenant = :'slow'), 7::bigint, 'beside the likes of it: what it can begin now')
from turns(:'m', 1000);
select waits(:'m', :'free', 2000);
select is(count(*) filter (where tenant = :'slow'), 17::bigint, 'beside who needs no permit: what it can begin within a second')
from turns(:'m', 1000);
select sluice.take_permits(sluice.tenant_request_quota(t), 100, at(60)) from sluice.tenants t where name = :'slow' \g /dev/null
select is(count(*) filter (where tenant = :'slow'), 0::bigint, 'without a permit it waits')
from turns(:'m', 1000);

select * from finish();
rollback;
