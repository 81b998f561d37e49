-- sluice.accept_files
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(9);

select 'tenant ' || pg_backend_pid() as t \gset
select given_speaker() as m, given_speaker('anthropic-messages') as claude \gset
insert into sluice.tenants (name, max_files) values (:'t', 3);
select given_batch(:'m', 2, :'t') as b \gset
select results_eq(format('select message, hint from error_of(%L)',
  format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t')),
  format($$values ('tenant "%s" has 1 files and 2 to come of its batches, of 3 that it may have',
    'Delete some: DELETE /v1/files/{id}. Or raise sluice.tenants.max_files (for all: '
    'sluice.settings.tenant_max_files).')$$, :'t'),
  'an input, an output and errors');
update sluice.tenants set max_files = 4 where name = :'t';
select input_file as f from sluice.batch where id = :b \gset
select results_eq(format('select code, hint from error_of(%L)',
  format('select batch_over(%s, %L)', :f, :'t')),
  $$values ('SL005',
    'A batch needs 2. Delete some: DELETE /v1/files/{id}. '
    'Or raise sluice.tenants.max_files (for all: '
    'sluice.settings.tenant_max_files).')$$, 'another batch does not fit, though an upload would');
select is((error_of(format('select message_batch(%L, 1, %L)', :'claude', :'t'))).code, 'SL005',
  'nor one with its requests');
update sluice.tenants set max_files = 0, files_bytes_max = 0 where name = :'t';
select advanced(:b, 'run'), given_ends(:b), advanced(:b, 'done', at(2)) \g /dev/null
select results_eq(format('select * from lines_of(%s)', :b), $$values ('c1', 'output'),
  ('c2', 'output')$$, 'what has begun is put out, whatever the limits are by then');
update sluice.tenants set max_files = 4, files_bytes_max = null where name = :'t';
select is((select count(*) from sluice.file where tenant = :'t'), 2::bigint,
  'it has its input and its output');
select lives_ok(format('select batch_over(%s, %L)', :f, :'t'), 'no errors are to come any more');
update sluice.tenants set max_files = null, files_bytes_max = 1 where name = :'t';
select is((error_of(format('select batch_over(%s, %L)', :f, :'t'))).message,
  format('the files of tenant "%s" take %s bytes, of 1 that they may take', :'t',
    (select sum(bytes) from sluice.file where tenant = :'t')),
  'no batch beyond its bytes');
update sluice.tenants set max_files = 5, files_bytes_max = null, max_batches = null
where name = :'t';  -- one more than that: the errors of the cancelled one
select sluice.cancel_batch(b.id, :'t', false, at(2)), advanced(b.id, 'done', at(3))
from sluice.batch b
where b.tenant = :'t' and b.phase <> 'done' \g /dev/null
select lives_ok(format('select message_batch(%L, 1, %L)', :'claude', :'t'),
  'one with its requests makes two');
select is((error_of(format('select sluice.begin_file(''batch'', ''x'', %L, at(0))', :'t'))).message,
  format('tenant "%s" has 4 files and 1 to come of its batches, of 5 that it may have', :'t'),
    'its requests, and its results to come');

select * from finish();
rollback;
