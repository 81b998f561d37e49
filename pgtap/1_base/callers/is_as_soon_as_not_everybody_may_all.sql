begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.is_guarded(), false, 'a new installation is open');
select given_tenant('sluice_submitter') as a \gset
select is(sluice.is_guarded(), true, 'a tenant with a role guards it');
update sluice.settings set default_role = 'public';
select is(sluice.is_guarded(), true, 'also where everybody acts for the others');
update sluice.settings set default_role = null;
delete from sluice.tenants where name = :'a';
select is(sluice.is_guarded(), true, 'and a closed default role');

select * from finish();
rollback;
