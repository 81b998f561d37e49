begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w, given_task(:'m') as t \gset
select claimed(:w, 1, at(1)),
  completed(:w, told(:t, 'throttled', retry_after_ms => 60000, error => '429'), at(2)) \g /dev/null
select is(sluice.explain(:t, at(3)),
  format('queued for %s: first in its queue, the model is closed until 00:01:02 (429)', :'m'),
  'by a 429: its model is closed');
select sluice.resume(:'m'), claimed(:w, 1, at(4)),
  completed(:w, told(:t, 'returned', 2), at(5)) \g /dev/null
select is(sluice.explain(:t, at(6)),
  format('queued for %s: first in its queue, next to be claimed', :'m'), 'unsent');

select * from finish();
rollback;
