begin;
\ir ../../_helpers.sql
select plan(1);

-- The hint about a version that there is not lists those that there are.
select given_model() as m, given_model() as other \gset
insert into sluice.payload_schema (target, version) values (:'m', 'secret');
insert into sluice.tenants (name, models) values ('t', array[:'other']);
select is((error_of(format('select sluice.submit(''x'', %L, tenant => ''t'',
  schema_version => ''1'', p_now => at(0))', :'m'))).code, 'SL009',
  'a model that the tenant may not use shows no versions');

select * from finish();
rollback;
