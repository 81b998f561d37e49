-- sluice.gate_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

delete from sluice.unlisted_tenant;
insert into sluice.unlisted_tenant (tenant, noted_at)
select 't' || lpad(n::text, 2, '0'), now() from generate_series(1, 40) n, generate_series(1, 2)
union all select repeat('long', 11), now();
select sluice.refresh_gate(true);
select is((select noted from sluice.gate), 'default'::text || array(
  select 't' || lpad(n::text, 2, '0') from generate_series(1, 32) n), 'each once, no long ones');
update sluice.settings set max_tenants = null;
select is((select noted from sluice.gate), '{default,NULL}',
  'nobody else, where no note is asked for,');
update sluice.settings set max_tenants = 100, tenant_max_priority = 5;
select is((select noted from sluice.gate), '{default,NULL}', 'nor where a note is not enough:');
select is((select 'other' = any (noted) from sluice.gate), null, 'others are unknown');

select * from finish();
rollback;
