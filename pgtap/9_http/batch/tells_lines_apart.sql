begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_file(array[U&'\FEFF{"a": 1}\000D\000A\000D\000A \0009 \000A  {"b": 2} \000A',
  E'\n{"c":\r3}\r\n', U&'\FEFFd']) as f \gset
select results_eq(format('select * from sluice.batch_part(%s, 0)', :f), $$values (1, E'{"a": 1}\r'),
  (4, '  {"b": 2} ')$$, 'without the mark of UTF-8 and blank lines');
select results_eq(format('select * from sluice.batch_part(%s, 1)', :f),
  $$values (6, E'{"c":\r3}\r')$$, 'counted on from part to part');
select results_eq(format('select * from sluice.batch_part(%s, 2)', :f), $$values (7, U&'\FEFFd')$$,
  'the last one without its end');
select is_empty(format('select * from sluice.batch_part(%s, 3)', :f), 'no more');

select * from finish();
rollback;
