begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_pages(2) \g /dev/null
select given_batch(:'m', 5) as b \gset
select advanced(:b, 'submit') \g /dev/null
select is(array[submit_step(:b), submit_step(:b), submit_step(:b)], array[2, 4, 5],
  'one after the other');
select is((batch_row(:b)).look_at, at(1), 'without a pause');
select is(advanced(:b, 'run'), 'run', 'then it runs');

select * from finish();
rollback;
