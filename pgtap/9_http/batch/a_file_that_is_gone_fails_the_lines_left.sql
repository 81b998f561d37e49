-- sluice.submit_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 2, 'a'), lines_of_batch(:'m', 2, 'b')]) as f \gset
select batch_over(:f) as b \gset
select advanced(:b, 'submit') \g /dev/null
delete from sluice.file_part where file = :f and n = 1;
select is(advanced(:b, 'run'), 'run', 'it goes on');
select results_eq(format('select custom_id, error_code from sluice.batch_line where batch = %s '
                         'order by line', :b),
  $$values ('a1', null), ('a2', null), ('b1', 'SL006'), ('b2', 'SL006')$$,
    'what was not submitted has failed');

select * from finish();
rollback;
