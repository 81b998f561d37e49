-- sluice.tenant_headroom
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_tenant(rpm => 60, tpm => 60000) as t \gset
select given_worker(array[:'m']) as w \gset
select count(given_task(:'m', tenant => :'t')) from generate_series(1, 5) \g /dev/null
select claimed(:w, 1, at(1)) \g /dev/null
select setval(('sluice.tenant_' || k || id)::regclass, 1, false)
from unnest(array['bucket_', 'tokens_']) k, sluice.tenants
where name = :'t' \g /dev/null
select is(claimed(:w, 9, at(10)), '{}', 'after a crash the bucket is empty');
select is(cardinality(claimed(:w, 9, at(12))), 1,
  'and fills again, though no claim could take for him since');
select claimed(:w, 9, at(-100)) \g /dev/null
select is(cardinality(claimed(:w, 9, at(-90))), 1, 'so it does after the clock was set back');

select * from finish();
rollback;
