-- sluice.after_model_changes
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select 'tenant ' || :'m' as t \gset
insert into sluice.tenants (name, models) values (:'t', array['any', :'m']);
update sluice.settings set tenant_models = array[:'m'];
update sluice.models set name = :'m' || ' new' where name = :'m';
select is((select models from sluice.tenants where name = :'t'), array['any', :'m' || ' new'],
  'a tenant''s');
select is((select tenant_models from sluice.settings), array[:'m' || ' new'], 'all tenants''');
select lives_ok(format('select given_task(%L, tenant => %L)', :'m' || ' new', :'t'),
  'so it may use it as before');

select * from finish();
rollback;
