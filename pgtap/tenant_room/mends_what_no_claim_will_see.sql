begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_tenant(rpm => 60, tpm => 60000) as t \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', tenant => :'t') from generate_series(1, 3) \g /dev/null
select claimed(:w, 1, at(1)) \g /dev/null
select setval(('sluice.tenant_' || k || id)::regclass, 1, false) from unnest(array['bucket_', 'tokens_']) k, sluice.tenants
where name = :'t' \g /dev/null
select sluice.hold_rows(id_of(:'m'), sluice.peek_rows(id_of(:'m'), 2));
select is(sluice.admit(:'m', null, at(10)), 0, 'after a crash the bucket is empty');
select is(sluice.admit(:'m', null, at(12)), 1, 'and fills again, though no claim has seen the tenant since');
select sluice.hold_rows(id_of(:'m'), sluice.peek_rows(id_of(:'m'), 2));
select sluice.take_permits(sluice.tenant_request_quota(t), 1, at(12)) as x from sluice.tenants t where name = :'t' \g /dev/null
select sluice.admit(:'m', null, at(-100)), sluice.admit(:'m', null, at(-90)) \g /dev/null
select is((select count(*) from sluice.queue where model = id_of(:'m')), 1::bigint, 'so it does after the clock was set back');

select * from finish();
rollback;
