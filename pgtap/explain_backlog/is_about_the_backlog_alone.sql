begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select sluice.set_counter('room', id_of(:'m'), 1000) \g /dev/null
select given_task(:'m') as t \gset
select is(sluice.explain_backlog(t, at(1)), format('waits for room in the queue of %s: 0 ahead of tenant "default"; no live worker '
  'serves the model', :'m'), 'who is ahead, and why the queue does not move') from sluice.task t where id = :t;
select sluice.admit(:'m', null, at(1)) \g /dev/null
select is(sluice.explain_backlog(t, at(1)), null, 'no longer there') from sluice.task t where id = :t;

select * from finish();
rollback;
