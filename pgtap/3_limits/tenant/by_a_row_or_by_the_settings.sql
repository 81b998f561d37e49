begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

update sluice.tenants set max_priority = null, models = null;
select is(sluice.are_limited(), false, 'not in a new installation');
insert into sluice.tenants (name, models) values ('t', '{}');
select is(sluice.are_limited(), true, 'one of them');
delete from sluice.tenants where name = 't';
update sluice.settings set tenant_max_priority = 0;
select is(sluice.are_limited(), true, 'all in their priorities');
update sluice.settings set tenant_max_priority = null, tenant_models = '{a}';
select is(sluice.are_limited(), true, 'or in their models');

select * from finish();
rollback;
