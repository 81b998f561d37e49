begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model(max_attempts => 4) as m \gset
select given_route(:'m') as r \gset
select given_worker(array[:'m'], at(20)) as w \gset
select given_task(:'r', deadline => at(10)) as t \gset
select sluice.expire_due(at(11)), sluice.redrive(:t, at(20)), sluice.wake(at(20)) \g /dev/null
select is(sluice.explain(:t, at(21)),
  format('queued for route %s: first in its queue, no model can take it now: '
         '%s (has not asked for 1 s)', :'r', :'m'),
  'the deadline that counts is the row''s');
select claimed(:w, 1, at(21)), completed(:w, told(:t, 'retry', 2, retry_after_ms => 30000,
  http_status => 500), at(22)) \g /dev/null
select is(sluice.explain(:t, at(23)),
  format('waits until 00:00:52 to retry on %s: attempt 2 of 4 is next, '
         'the last one failed with 500', :'r'),
  'nor are attempts of a route "of 1"');

select * from finish();
rollback;
