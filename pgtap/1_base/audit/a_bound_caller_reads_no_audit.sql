-- sluice.note_audit
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_tenant('sluice_reader') as a \gset
select sluice.pause(:'m') \g /dev/null
set local role sluice_reader;
select is_empty('select * from sluice.audit_log', 'who is bound to none reads no audit');
reset role;
update sluice.settings set default_role = 'sluice_reader';
set local role :"a";
select is_empty('select * from sluice.audit_log', 'nor a tenant''s reader');
set local role sluice_reader;
select is_empty('select * from sluice.audit_log',
  'nor a reader who may not act for some tenant: what was done to it is there');
reset role;
update sluice.tenants set role = null;
set local role sluice_reader;
select isnt_empty(format('select * from sluice.audit_log where object = %L', :'m'),
  'a reader of every tenant does');

select * from finish();
rollback;
