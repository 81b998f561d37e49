-- sluice.note_audit
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_tenant('sluice_reader') as a \gset
select sluice.pause(:'m') \g /dev/null
set local role sluice_reader;
select is_empty('select * from sluice.audit_log', 'nor does who is bound to none');
reset role;
update sluice.settings set default_role = 'sluice_reader';
set local role sluice_reader;
select isnt_empty(format('select * from sluice.audit_log where object = %L', :'m'),
  'a reader does');
set local role :"a";
select is_empty('select * from sluice.audit_log', 'a tenant''s reader does not');

select * from finish();
rollback;
