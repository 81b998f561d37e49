begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select given_speaker() as m \gset
select given_batch(:'m', 3) as b \gset
select advanced(:b, 'submit') \g /dev/null
create temporary table stale as select batch_row(:b) as batch;
select sluice.submit_batch(batch, at(1)) from stale \g /dev/null
select tasks_of_batch(:b) as ts \gset
select sluice.submit_batch(batch, at(1)) from stale \g /dev/null
select is(tasks_of_batch(:b), :'ts'::bigint[], 'also when a step is made twice');
select is((select count(*) from sluice.task where batch_id = :b and created_at = at(1)), 3::bigint,
  'there are no others');

select * from finish();
rollback;
