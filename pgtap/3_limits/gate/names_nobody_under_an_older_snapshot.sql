-- sluice.refresh_gate
begin isolation level repeatable read;
\set alone
\ir ../../_helpers.sql
select plan(1);

insert into sluice.tenants (name) values ('a');
select is((select noted from sluice.gate), '{NULL}', 'another one may have got a limit since');

select * from finish();
rollback;
