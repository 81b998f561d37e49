begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_pages(2) \g /dev/null
select batch_over(given_file(array[lines_of_batch(:'m', 3)]), null, '24h',
  '{"output_expires_after": {"anchor": "created_at", "seconds": 3600}}') as b \gset
select advanced(:b, 'run') \g /dev/null
select given_end((tasks_of_batch(:b))[1], 'failed'), given_ends(:b) \g /dev/null
select advanced(:b, 'write', at(2)), sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is(sluice.drop_old_files(at(3603)), false, 'although nobody has gone on for so long');
select is(advanced(:b, 'done', at(3604)), 'done', 'then somebody does');
select is((select count(*) from lines_of(:b)), 3::bigint, 'nothing is lost');
select is(array[sluice.drop_old_files(at(3604)), sluice.drop_old_files(at(3604))],
  array[true, true], 'now both files go');

select * from finish();
rollback;
