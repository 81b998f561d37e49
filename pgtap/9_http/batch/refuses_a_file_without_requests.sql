-- sluice.validate_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select batch_over(given_file('{}')) as empty,
  batch_over(given_file(array[E'\n\r\n', E' \t\n'])) as blank, given_batch(:'m') as gone \gset
delete from sluice.file where id = (batch_row(:gone)).input_file;
select is(array[advanced(:empty, 'done'), advanced(:blank, 'done'), advanced(:gone, 'done')],
  array['done', 'done', 'done'], 'they end');
select is((batch_row(:empty)).errors #>> '{0,code}', 'empty_file', 'nothing is in it');
select is((batch_row(:blank)).errors #>> '{0,code}', 'empty_file', 'blank lines are');
select is((batch_row(:gone)).errors #>> '{0,code}', 'invalid_request', 'it is gone');

select * from finish();
rollback;
