begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w, given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select sluice.complete(:w, array[row(:t, 1, 'retry', null, null, 'no answer', 'timeout', null,
  1800000, null, null, null)::sluice.outcome], at(2)) \g /dev/null
select is(sluice.explain(:t, at(3)),
  format('waits until 00:30:02 to retry on %s: attempt 2 of 3 is next, '
         'the last one failed with timeout', :'m'),
  'a retry');
select is(sluice.explain(:t, at(3600)),
  format('waits to be queued: its time has come to retry on %s: attempt 2 of 3 is next, '
    || 'the last one failed with timeout; no live worker serves the model', :'m'),
  'whose time has come, long after its worker''s last sign of life');

select * from finish();
rollback;
