begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_batch(:'m', 2) as b \gset
select advanced(:b, 'run') \g /dev/null
select sluice.await_batch(batch_row(:b), at(2)) \g /dev/null
select is((batch_row(:b)).phase, 'run', 'not before');
select ok((batch_row(:b)).look_at >= at(2.5), 'it looks again, but not at once');
select given_end((tasks_of_batch(:b))[1]), sluice.await_batch(batch_row(:b), at(3)) \g /dev/null
select results_eq(format('select phase, completed, failed from sluice.batch where id = %s', :b),
  $$values ('run', 1, 0)$$, 'half');
select given_end((tasks_of_batch(:b))[2], 'failed'),
  sluice.await_batch(batch_row(:b), at(4)) \g /dev/null
select results_eq(format('select phase, completed, failed, position, finalizing_at, look_at '
                         'from sluice.batch where id = %s', :b),
  $$values ('write', 1, 1, 0, at(4), at(4))$$, 'all');

select * from finish();
rollback;
