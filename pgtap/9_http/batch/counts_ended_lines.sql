begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_batch(:'m', 6) as b \gset
select advanced(:b, 'run') \g /dev/null
update sluice.batch_line set task_id = null, error_code = 'SL007' where batch = :b and line = 6;
select given_end((tasks_of_batch(:b))[1]), given_end((tasks_of_batch(:b))[2], 'failed'),
  given_end((tasks_of_batch(:b))[3], 'expired'),
  given_end((tasks_of_batch(:b))[4], 'cancelled') \g /dev/null
create function counted(p_batch bigint) returns text language sql
as $$ select (completed, failed)::text from sluice.count_batch(batch_row(p_batch)) $$;
select is(counted(:b), '(1,4)', 'what somebody cancelled has failed');
update sluice.batch set ending = 'cancelled' where id = :b;
select is(counted(:b), '(1,2)', 'what the batch''s end cut off has not');
select is((select (completed, failed)::text from sluice.batch where id = :b), '(1,2)',
  'the batch knows');

select * from finish();
rollback;
