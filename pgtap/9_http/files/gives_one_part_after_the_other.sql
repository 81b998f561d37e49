begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_file(array[E'a\n', E'b\n', 'c'], 't') as f \gset
select is((select string_agg(sluice.file_body(:f, 't', n), '' order by n)
  from generate_series(0, 3) n), E'a\nb\nc', 'as they were');
select is(sluice.file_body(:f, 't', 3), null, 'then no more');
select is((error_of(format('select sluice.file_body(%s, ''u'', 0)', :f))).code, 'SL006',
  'to nobody else');
select is((error_of('select sluice.file_body(-1, null, 0)')).code, 'SL006', 'of no file');

select * from finish();
rollback;
