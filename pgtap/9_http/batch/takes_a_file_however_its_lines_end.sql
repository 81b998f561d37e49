-- sluice.validate_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select batch_over(given_file(array[
  U&'\FEFF' || line_of_batch('a', :'m') || E'\r\n\r\n \t\n' || line_of_batch('b', :'m') || E'\n\n',
  E'\n' || line_of_batch(E'c\n\r\u2028', :'m') || E'\r\n'
    || line_of_batch(repeat('😀', 512), :'m')])) as b \gset
select is(advanced(:b, 'run'), 'run', 'all lines are good');
select results_eq(format('select line, custom_id from sluice.batch_line where batch = %s '
                         'order by line', :b),
  $$values (1, 'a'), (4, 'b'), (7, E'c\n\r\u2028'), (8, repeat('😀', 512))$$,
    'and keep their numbers and ids');
select is((batch_row(:b)).total, 4, 'blank ones do not count');
select given_ends(:b), advanced(:b, 'done', at(2)) \g /dev/null
select is(array(select custom_id from lines_of(:b)),
  array['a', 'b', E'c\n\r\u2028', repeat('😀', 512)], 'they come back as they were');

select * from finish();
rollback;
