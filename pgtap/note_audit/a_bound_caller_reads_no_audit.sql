begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tenant('sluice_reader') as a \gset
select sluice.pause(:'m') \g /dev/null
set local role sluice_reader;
select isnt_empty(format('select * from sluice.audit_log where object = %L', :'m'), 'a reader does');
set local role :"a";
select is_empty('select * from sluice.audit_log', 'a tenant''s reader does not');

select * from finish();
rollback;
