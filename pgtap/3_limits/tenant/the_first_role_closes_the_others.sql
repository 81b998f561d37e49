-- sluice.before_tenant_changes
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() \g /dev/null
select is(default_role, 'public', 'everybody acts for tenants without a role') from sluice.settings;
insert into sluice.tenants (name) select given_tenant() || '-without';
select is(default_role, 'public', 'a tenant without one changes nothing') from sluice.settings;
select given_tenant('sluice_submitter') as a \gset
select is(default_role, null, 'the first one with a role closes the others') from sluice.settings;
update sluice.settings set default_role = 'public';
select given_tenant('sluice_submitter') as b \gset
select is(default_role, 'public', 'who opens them again is followed') from sluice.settings;
update sluice.settings set default_role = 'sluice_reader';
update sluice.tenants set role = null;
update sluice.tenants set role = name where name = :'a';
select is(default_role, 'sluice_reader', 'and a role that was named stays') from sluice.settings;
update sluice.settings set default_role = 'public';
update sluice.tenants set role = null;
update sluice.tenants set role = name where name in (:'a', :'b');
select is(default_role, null, 'several at once are first, too') from sluice.settings;

select * from finish();
rollback;
