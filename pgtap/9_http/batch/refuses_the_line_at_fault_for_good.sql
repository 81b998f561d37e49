begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker('openai-chat', 4) as m \gset
select batch_over(given_file(array[concat_ws(E'\n', line_of_batch('a', :'m'),
  line_of_batch('b', :'m'), line_of_batch('c', :'m'),
  line_of_batch('d', :'m'), line_of_batch('e', :'m'), line_of_batch('f', :'m'))])) as b \gset
select advanced(:b, 'submit') \g /dev/null
select format('{"api": "openai-chat", "request": {"model": "%s"}}', :'m') as good \gset
select is(sluice.submit_lines_singly(batch_row(:b), array[1, 2, 4, 5, 6],
  array[:'good', '{"request": 7}', :'good', 'no JSON', :'good'], at(1)), 5, 'each is settled');
select results_eq(format('select line, task_id is not null, error_code from sluice.batch_line '
                         'where batch = %s order by line', :b),
  $$values (1, true, null), (2, false, 'SL004'), (3, false, null), (4, true, null),
    (5, false, '22P02'), (6, true, null)$$,
  'by itself; what was not asked for is not');
update sluice.batch_line set error_code = null where batch = :b and line = 2;
select is(sluice.submit_lines_singly(batch_row(:b), array[2, 3], array[:'good', :'good'], at(1)), 1,
  'the queue fills up');
select is((select count(*) from sluice.batch_line where batch = :b and line in (2, 3)
  and num_nonnulls(task_id, error_code) = 0), 1::bigint,
  'which is nobody''s fault: one tries again');

select * from finish();
rollback;
