begin;
\ir ../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model() as m \gset
select given_tasks(:'m', 2) \g /dev/null
select given_task(:'m', priority => -1) as t, given_task(:'m', priority => -1) as u, given_task(:'m') as v,
  sluice.submit('q', :'m', -1, tenant => 'other', p_now => at(0)) as x \gset
select is(sluice.explain(:u, at(1)),
  format('waits for room in the queue of %s: 2 ahead of tenant "default"; no live worker serves the model', :'m'),
  'of its tenant: one of the same priority, one of a higher');
select given_worker(array[:'m']) \g /dev/null
select is(sluice.explain(:t, at(1)),
  format('waits for room in the queue of %s: 1 ahead of tenant "default"; its queue holds 2', :'m'), 'full');
select is(sluice.explain(:x, at(1)),
  format('waits for room in the queue of %s: 0 ahead of tenant "other"; its queue holds 2', :'m'), 'another tenant');
select sluice.pause(:'m') \g /dev/null
select is(sluice.explain(:x, at(1)),
  format('waits for room in the queue of %s: 0 ahead of tenant "other"; the model is paused', :'m'),
  'what holds up the queue is named');

select * from finish();
rollback;
