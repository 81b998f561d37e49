-- sluice.submit_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker('openai-chat', 4) as m \gset
select batch_over(given_file(array[lines_of_batch(:'m', 3, 'a'),
  lines_of_batch(:'m', 4, 'b')])) as b \gset
select is(advanced(:b, 'run', at(1)), 'submit', 'there is no room for all');
select is((batch_row(:b)).look_at, at(2), 'it tries again in a second');
select is(cardinality(tasks_of_batch(:b)), 4, 'what had room is under way');
select given_ends(:b), advanced(:b, 'run', at(2)) \g /dev/null
select is(advanced(:b, 'run', at(3)), 'run', 'then there is');
select is((select count(*) from sluice.task where batch_id = :b and created_at >= at(0)), 7::bigint,
  'a task for each line');
select given_ends(:b) \g /dev/null
select advanced(:b, 'done', at(4)) \g /dev/null
select results_eq(format('select * from lines_of(%s)', :b), $$values ('a1', 'output'),
  ('a2', 'output'), ('a3', 'output'),
  ('b1', 'output'), ('b2', 'output'), ('b3', 'output'), ('b4', 'output')$$,
    'and a result for each');

select * from finish();
rollback;
