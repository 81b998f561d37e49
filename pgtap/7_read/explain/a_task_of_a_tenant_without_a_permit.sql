begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select given_worker(array[:'m']) as w \gset
select array_agg(given_task(:'m', tenant => :'t') order by n) as tasks
from generate_series(1, 3) n \gset
select (:'tasks'::bigint[])[2] as second, (:'tasks'::bigint[])[3] as third \gset
select sluice.take_permits(sluice.request_quota(t), 1, at(1)) as x from sluice.tenants t
where name = :'t' \g /dev/null
select is(sluice.explain(:second, at(1)),
  format('queued for %s: 1 ahead, tenant "%s" has no permit before 00:00:02 (rpm 60), '
         'this task not before 00:00:03',
  :'m', :'t'), 'when he has the next, and this task its own');
select claimed(:w, 9, at(1)) \g /dev/null
select is(sluice.explain(:third, at(1)),
  format('queued for %s: 2 ahead, tenant "%s" has no permit before 00:00:02 (rpm 60), '
         'this task not before 00:00:04', :'m', :'t'),
  'and one behind it');
select is(sluice.explain(given_task(:'m', deadline => at(600)), at(5)),
  format('queued for %s: first in its queue, next to be claimed, deadline 00:10:00', :'m'),
  'a deadline is told before it has passed');

select * from finish();
rollback;
