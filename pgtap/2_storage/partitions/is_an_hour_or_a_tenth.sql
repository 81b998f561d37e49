begin;
\ir ../../_helpers.sql
select plan(2);

update sluice.settings set retention = '1 minute';
select is(sluice.retention_slack(), interval '1 hour', 'an hour');
update sluice.settings set retention = '30 days';
select is(sluice.retention_slack(), interval '3 days', 'or a tenth');

select * from finish();
rollback;
