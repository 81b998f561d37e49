-- sluice.submit_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select batch_over(given_file(array[concat_ws(E'\n', line_of_batch('a', :'m'),
  line_of_batch('b', :'m', p_body =>
  jsonb_build_object('x', repeat('x', 1000))), line_of_batch('c', :'m'))])) as b \gset
update sluice.settings set request_bytes_max = 500;
select is(advanced(:b, 'run'), 'run', 'the others are under way');
select results_eq(format('select custom_id, task_id is null, error_code, error is null
  from sluice.batch_line where batch = %s
    order by line', :b),
  $$values ('a', false, null, true), ('b', true, 'SL007', false), ('c', false, null, true)$$,
      'it says why');
select given_ends(:b), advanced(:b, 'done', at(2)) \g /dev/null
select bag_eq(format('select * from lines_of(%s)', :b), $$values ('a', 'output'),
  ('b', 'invalid_request'), ('c', 'output')$$, 'it is among the errors');
select is((select (total, completed, failed)::text from sluice.batch where id = :b), '(3,2,1)',
  'and counts as one');

select * from finish();
rollback;
