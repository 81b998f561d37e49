-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(2);

-- The lock of another session: only a second connection can hold it, so the function that tries it
-- stands in.
select given_model() as m \gset
select given_tenant(rpm => 600) as t \gset
select given_worker() as w \gset
select given_task(:'m', tenant => :'t') as busy \gset
select given_task(:'m') as free \gset
create or replace function sluice.tenant_allowances(p_names text[], p_now timestamptz)
returns table (name text, busy boolean, requests bigint, tokens bigint)
language sql as $$ select t.name, true, null::bigint, null::bigint from sluice.tenants t
                   where t.name = any (p_names) and t.rpm is not null $$;
select is(claimed(:w, 5, at(1)), array[:free]::bigint[], 'its tasks are passed over');
select is(places(:busy), 'queue', 'and stay at their place');

select * from finish();
rollback;
