-- sluice.submit_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(1);

select given_speaker() as m, given_speaker() as other \gset
select batch_over(given_file(array[line_of_batch('a', :'m') || E'\n'
      || line_of_batch('b', :'other')])) as b \gset
select advanced(:b, 'submit') \g /dev/null
delete from sluice.models where name = :'m';
select advanced(:b, 'run') \g /dev/null
select given_ends(:b), advanced(:b, 'done', at(2)) \g /dev/null
select bag_eq(format('select * from lines_of(%s)', :b), $$values ('a', 'invalid_request'),
  ('b', 'output')$$, 'and no others');

select * from finish();
rollback;
