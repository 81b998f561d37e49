begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 1)]) as f \gset
select batch_over(:f) as b, batch_over(:f) as other \gset
select advanced(:b, 'run'), advanced(:other, 'submit') \g /dev/null
select given_end((tasks_of_batch(:b))[1]) \g /dev/null
select advanced(:b, 'done', at(2)) \g /dev/null
select is(sluice.delete_batch(:b, null, false), true, 'the batch goes');
select is(sluice.show_file(:f, null) ->> 'id', 'file-' || :f, 'its input stays');
select advanced(:other, 'run', at(3)) \g /dev/null
select is(cardinality(tasks_of_batch(:other)), 1, 'for another batch');

select * from finish();
rollback;
