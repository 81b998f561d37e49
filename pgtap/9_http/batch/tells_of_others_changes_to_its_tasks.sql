-- sluice.write_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker() as m \gset
select given_worker(array[:'m']) as w \gset
select given_batch(:'m', 3) as b \gset
select advanced(:b, 'run') \g /dev/null
select tasks_of_batch(:b) as ts \gset
select sluice.cancel((:'ts'::bigint[])[1], at(2)), given_end((:'ts'::bigint[])[2]),
  sluice.forget((:'ts'::bigint[])[2], at(2)) \g /dev/null
select is(advanced(:b, 'done', at(3)), 'run', 'one is left');
select given_end((:'ts'::bigint[])[3], 'failed', p_error_code => 'own'),
  sluice.redrive((:'ts'::bigint[])[3], at(3)) \g /dev/null
select is(advanced(:b, 'done', at(4)), 'run', 'also when it is to run again');
select given_end((:'ts'::bigint[])[3]), advanced(:b, 'done', at(5)) \g /dev/null
select bag_eq(format('select * from lines_of(%s)', :b), $$values ('c1', 'batch_cancelled'),
  ('c2', 'output'), ('c3', 'output')$$, 'a cancelled one is an error');
select is((select l #> '{response,body}' from lines_in((batch_row(:b)).output_file) l limit 1),
  'null', 'a forgotten one has no body');
select is((select (total, completed, failed)::text from sluice.batch where id = :b), '(3,2,1)',
  'all of them count');

select * from finish();
rollback;
