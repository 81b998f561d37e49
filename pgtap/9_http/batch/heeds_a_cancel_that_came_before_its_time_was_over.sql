begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(1);

select given_speaker() as m \gset
select given_batch(:'m') as b \gset
create temporary table stale as select batch_row(:b) as batch;
select sluice.cancel_batch(:b, null, false, at(86399)) \g /dev/null
select sluice.advance_batch(batch, at(86400)) from stale \g /dev/null
select results_eq(format('select phase, ending from sluice.batch where id = %s', :b),
  $$values ('validate', 'cancelled')$$, 'although the step has read the batch before');

select * from finish();
rollback;
