begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 1)]) as f \gset
select batch_over(:f) as b \gset
select code, hint from error_of(format('select sluice.delete_file(%s, null)', :f)) \gset
select is(:'code'::text, 'SL004', 'while it validates');
select isnt(:'hint'::text, '', 'with a hint');
select advanced(:b, 'submit') \g /dev/null
select throws_ok(format('select sluice.delete_file(%s, null)', :f), 'SL004', null,
  'while it submits');
select advanced(:b, 'run') \g /dev/null
select is(sluice.delete_file(:f, null), true, 'then it has read it');
select given_end((tasks_of_batch(:b))[1]) \g /dev/null
select is(advanced(:b, 'done', at(2)), 'done', 'and ends without it');

select * from finish();
rollback;
