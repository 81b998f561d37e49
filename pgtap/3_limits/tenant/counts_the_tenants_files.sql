-- sluice.accept_files
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select 'tenant ' || pg_backend_pid() as t \gset
insert into sluice.tenants (name, max_files) values (:'t', 2);
select given_file(array['x'], :'t') as f, sluice.begin_file('batch', 'x', :'t', at(0)) as g \gset
select is((error_of(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t'))).message,
  format('tenant "%s" has 2 files, of 2 that it may have', :'t'), 'two, of which one is under way');
select lives_ok(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t' || ' other'),
  'another tenant is not concerned');
select lives_ok(format('select sluice.begin_file(''batch_output'', ''x'', %L, at(0))', :'t'),
  'what a batch puts out is not refused');
update sluice.tenants set max_files = null, files_bytes_max = 2 where name = :'t';
select lives_ok(format('select given_file(array[''x''], %L)', :'t'), 'a byte of two');
select is((error_of(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t'))).message,
  format('the files of tenant "%s" take 2 bytes, of 2 that they may take', :'t'), 'two of two');
select sluice.delete_file(:f, :'t') \g /dev/null
select lives_ok(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t'), 'one less');
update sluice.settings set tenant_max_files = 0;
select is((error_of('select sluice.begin_file(''batch'', ''x'', null, at(0))')).code, 'SL005',
  'without a tenant it is the default''s');

select * from finish();
rollback;
