begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_tenant(rpm => null, tpm => null) as t \gset
select given_model() \g /dev/null
update sluice.tenants set max_unfinished = 1 where name = :'t';
create function taken(p_tenant text) returns bigint language sql
as $$ select given_task((select max(name) from sluice.models), tenant => p_tenant) $$;
select lives_ok(format('select taken(%L)', :'t'), 'as many as it may have');
select is((error_of(format('select taken(%L)', :'t'))).code, 'SL005', 'no more than that');
update sluice.settings set max_tenants = 10;
select taken(:'t' || '-new') \g /dev/null
select is((select count(*) from sluice.unlisted_tenant where tenant = :'t' || '-new'), 1::bigint,
  'a new one is noted');
update sluice.settings set max_tenants = 0;
select is((error_of(format('select taken(%L)', :'t' || '-another'))).code, 'SL009',
  'unless none may come');

select * from finish();
rollback;
