begin;
\ir ../../_helpers.sql
select plan(7);

select 'tenant ' || pg_backend_pid() as t \gset
update sluice.settings set tenant_max_batches = 5, tenant_max_files = 6, tenant_files_bytes_max = 7,
  tenant_max_priority = 8, tenant_models = '{a}', tenant_max_unfinished = 9, max_tenants = 10;
create function limits(p_tenant text) returns text language sql
as $$ select concat_ws(' ', max_batches, max_files, files_bytes_max, max_priority, models,
  max_unfinished, is_listed, is_full)
      from sluice.limits_of(p_tenant) $$;
select is(limits(:'t'), '5 6 7 8 {a} f f', 'a tenant without a row: the settings''');
select is(limits('default'), '5 6 7 t f', 'tasks without a tenant may do what they like');
insert into sluice.tenants (name) values (:'t');
insert into sluice.full_tenant values (:'t', 9);
select is(limits(:'t'), '5 6 7 8 {a} t t', 'a row that says nothing changes nothing');
update sluice.tenants set max_batches = 1, max_files = 2, files_bytes_max = 3, max_priority = 4,
  models = '{}', max_unfinished = 5
where name = :'t';
select is(limits(:'t'), '1 2 3 4 {} 5 t f', 'what it says holds');
update sluice.tenants set max_unfinished = null where name = :'t';
select is(limits(:'t'), '1 2 3 4 {} t t', 'else the settings'' most of tasks');
update sluice.settings set tenant_max_unfinished = 10;
select is(limits(:'t'), '1 2 3 4 {} t f', 'as it is now');
update sluice.settings set tenant_max_batches = null, max_tenants = null;
select is(limits(:'t' || ' other'), '6 7 8 {a} t f', 'null is no limit');

select * from finish();
rollback;
