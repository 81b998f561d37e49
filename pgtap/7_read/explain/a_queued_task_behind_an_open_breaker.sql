begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', '5 failures in a row', at(1)) \g /dev/null
select is(sluice.explain(:t, at(2)),
  format('queued for %s: first in its queue, '
         'the breaker is open until 00:00:31 (5 failures in a row)', :'m'),
  'the breaker, its end and its reason');
select sluice.heartbeat(:w, at(32)) \g /dev/null
select is(sluice.explain(:t, at(32)),
  format('queued for %s: first in its queue, the breaker lets one call at a time through', :'m'),
  'then that it lets probes through');

select * from finish();
rollback;
