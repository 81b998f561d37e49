begin;
\ir ../../_helpers.sql
select plan(3);

select 'tenant ' || pg_backend_pid() as t \gset
update sluice.settings set tenant_max_unfinished = 5;
insert into sluice.full_tenant values (:'t', 7);
select code, message, hint from error_of(format('select sluice.refuse_full_tenant(%L)', :'t')) \gset
select is(:'code' || ' ' || :'message',
  format('SL005 tenant "%s" is at its cap: 7 of 5 unfinished', :'t'),
  'what was counted, and the most');
select matches(:'hint'::text,
  'cancel some.* raise sluice.tenants.max_unfinished .*sluice.settings.tenant_max_unfinished',
  :'hint'::text);
delete from sluice.full_tenant where tenant = :'t';
select matches((error_of(format('select sluice.refuse_full_tenant(%L)', :'t'))).message, '5 of 5',
  'counted anew meanwhile: at least so many');

select * from finish();
rollback;
