-- sluice.gate_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(10);

delete from sluice.unlisted_tenant;
insert into sluice.unlisted_tenant (tenant, noted_at) values ('a', now()), ('z', now());
insert into sluice.tenants (name, weight, rpm) values ('m', 3, 60);
select is((select noted from sluice.gate), '{default,a,m,z,NULL}', 'one with a share and calls');
insert into sluice.tenants (name) values ('a');
select is((select noted from sluice.gate), '{default,a,m,z,NULL}', 'once, also if it is noted');
update sluice.tenants set max_unfinished = 9 where name = 'm';
update sluice.tenants set models = '{}' where name = 'a';
select is((select noted from sluice.gate), '{default,z,NULL}', 'a limit is known at once');
update sluice.tenants set max_unfinished = null, max_priority = 9 where name = 'm';
update sluice.tenants set models = null, tpm = 1000 where name = 'a';
select is((select noted from sluice.gate), '{default,z,NULL}', 'any limit');
update sluice.tenants set max_priority = null, name = 'n' where name = 'm';
select is((select noted from sluice.gate), '{default,n,z,NULL}', 'its new name alone');
insert into sluice.tenants (name, max_unfinished) values ('default', 9), ('z', 9);
select is((select noted from sluice.gate), '{n,NULL}', 'not "default" with a limit');
update sluice.tenants set max_unfinished = null where name = 'default';
select is((select noted from sluice.gate), '{default,n,NULL}', '"default" with a row');
update sluice.settings set tenant_max_priority = 5;
select is((select noted from sluice.gate), '{default,NULL}',
  'and it alone, where the settings limit the others');
update sluice.settings set tenant_max_priority = null;
delete from sluice.tenants where name = 'n';
select is((select noted from sluice.gate), '{default,NULL}', 'none whose row is gone');
insert into sluice.tenants (name) select 't' || lpad(n::text, 2, '0') from generate_series(1, 40) n;
select is((select noted from sluice.gate), 'default'::text || array(
    select 't' || lpad(n::text, 2, '0') from generate_series(1, 32) n) || array[null::text],
  'the first by name');

select * from finish();
rollback;
