begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select batch_over(given_file(array[lines_of_batch(:'m', 1)])) as b,
  batch_over(given_file(array['nonsense'])) as failed \gset
select advanced(:failed, 'done') \g /dev/null
update sluice.batch set ended_at = at(0) where id = :failed;
select is(sluice.drop_old_batches(at(2591999)), false, 'not before');
select is(sluice.drop_old_batches(at(2592000)), true, 'then');
select is(array(select id from sluice.batch where id in (:b, :failed)), array[:b]::bigint[],
  'one that has not ended stays');
select is(sluice.drop_old_batches(at(2592000)), false, 'there is no more');

select * from finish();
rollback;
