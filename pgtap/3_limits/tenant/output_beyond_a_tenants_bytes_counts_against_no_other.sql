-- sluice.accept_files
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

-- Counted each time.
create or replace function sluice.all_files_bytes() returns bigint language sql
as $$ select sluice.count_files_bytes() $$;
select 'tenant ' || pg_backend_pid() as t \gset
select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 1)], :'t' || ' other') as f,
  given_batch(:'m', 1, :'t' || ' other') as b \gset
insert into sluice.tenants (name, files_bytes_max) values (:'t', 10);
insert into sluice.file (bytes, lines, created_at, expires_at, purpose, filename, tenant)
values (sluice.files_bytes_max(), 1, at(0), at(9), 'batch_output', 'x', :'t');
select is((error_of(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t'))).code,
  'SL005', 'it has more than it may');
select lives_ok(format('select given_file(array[''x''], %L)', :'t' || ' other'), 'another uploads');
select lives_ok(format('select batch_over(%s, %L)', :f, :'t' || ' other'), 'and begins a batch');
update sluice.tenants set files_bytes_max = sluice.files_bytes_max() where name = :'t';
select is((error_of(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))',
  :'t' || ' other'))).code, 'SL003', 'who may have all of it fills it');
select is((error_of(format('select batch_over(%s, %L)', :f, :'t' || ' other'))).code, 'SL003',
  'for batches that begin, too');
select advanced(:b, 'run'), given_ends(:b), advanced(:b, 'done', at(2)) \g /dev/null
select results_eq(format('select * from lines_of(%s)', :b), $$values ('c1', 'output')$$,
  'not for what has been done');

select * from finish();
rollback;
