begin;
\ir ../_helpers.sql
select plan(3);

-- As if a round looked at four lanes. Three tenants without a permit for the next minute; who comes after them has no quota.
create or replace function sluice.lanes_look_max() returns int language sql immutable as $$ select 4 $$;
select given_model() as m \gset
select given_worker(array[:'m']) \g /dev/null
create temp table held on commit drop as select given_tenant(rpm => 1) as tenant from generate_series(1, 3);
select sluice.take_permits(sluice.tenant_request_quota(t), 1, at(0)) as x
from sluice.tenants t join held h on h.tenant = t.name \g /dev/null
select given_task(:'m', tenant => tenant) from held \g /dev/null
select is((sluice.look(id_of(:'m'), at(0))).wake_at, at(1), 'more may be behind those that were looked at: again in a second, not in ten');
select given_task(:'m', priority => -5) as free \gset
create function rounds(p_model text) returns int language sql
as $$ select n from generate_series(1, 60) n where sluice.admit(p_model, null, at(n)) > 0 limit 1 $$;
select ok(rounds(:'m') is not null, 'one of the next rounds finds who has no quota');
select is(queued(:'m'), array[:free]::bigint[], 'and him alone');

select * from finish();
rollback;
