-- The attack: twelve batches over a file of 107 MB noted 7.5 GB of its lines.
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker() as m, 'tenant ' || pg_backend_pid() as t \gset
select given_file(array[lines_of_batch(:'m', 10)], :'t') as f,
  given_file(array[lines_of_batch(:'m', 10)], :'t') as g \gset
select bytes as n from sluice.file where id = :f \gset
insert into sluice.tenants (name, files_bytes_max) values (:'t', 4 * :n);
select batch_over(:f, :'t') as a, batch_over(:g, :'t') as b \gset
select pass('two batches over two files');
select batch_over(:f, :'t') as c \gset
select pass('a third over one of them');
select batch_over(:g, :'t') as d \gset
select is((error_of(format('select batch_over(%s, %L)', :g, :'t'))).message,
  format('the files of tenant "%s" take %s bytes, and %s where several open batches read one, '
    'of %s that they may take', :'t', 2 * :n, 2 * :n, 4 * :n), 'not a fifth');
select is((error_of(format('select sluice.accept_files(%L, 1)', :'t'))).code, 'SL005',
  'nor another file');
update sluice.batch set phase = 'done', ended_at = at(1) where id in (:c, :d);
select lives_ok(format('select batch_over(%s, %L)', :g, :'t'), 'once others have ended');

select * from finish();
rollback;
