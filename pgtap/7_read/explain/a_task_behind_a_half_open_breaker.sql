begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) as ts \gset
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', 'down', at(1)) \g /dev/null
select sluice.heartbeat(:w, at(30)), claimed(:w, 9, at(32)) \g /dev/null
select is(sluice.explain((:'ts'::bigint[])[2], at(33)), format('queued for %s: first in its queue, '
  'the breaker is half open and lets one call at a time through, '
  'a probe is under way since 00:00:32', :'m'), 'in the queue');
select completed(:w, told((:'ts'::bigint[])[1], 'solved'), at(34)) \g /dev/null
select is(sluice.explain((:'ts'::bigint[])[2], at(35)), format('queued for %s: first in its queue, '
  'the breaker is half open and lets one call at a time through', :'m'), 'between two probes');

select * from finish();
rollback;
