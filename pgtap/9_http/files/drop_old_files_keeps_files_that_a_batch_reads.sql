begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 1)]) as f \gset
select batch_over(:f) as b \gset
update sluice.file set expires_at = at(1) where id = :f;
select is(sluice.drop_old_files(at(2)), false, 'while it validates');
select advanced(:b, 'submit') \g /dev/null
select is(sluice.drop_old_files(at(2)), false, 'while it submits');
select advanced(:b, 'run') \g /dev/null
select is(sluice.drop_old_files(at(2)), true, 'then it goes');

select * from finish();
rollback;
