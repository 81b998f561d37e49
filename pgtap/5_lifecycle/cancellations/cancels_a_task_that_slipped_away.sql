begin;
\set alone
\ir ../../_helpers.sql
select plan(7);

-- Marks that were committed after their leases had ended.
select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 4) as ids \gset
select (:'ids'::bigint[])[1] as retried, (:'ids'::bigint[])[2] as returned,
  (:'ids'::bigint[])[3] as solved, (:'ids'::bigint[])[4] as running \gset
select claimed(:w, 4) \g /dev/null
select sluice.complete(:w, array[told(:retried, 'retry'), told(:returned, 'returned'),
  told(:solved, 'solved'), told(:running, 'returned')], at(2)) \g /dev/null
insert into sluice.cancellation (task_id, worker, at, fence) select id, :w, at(2), 1
from unnest(:'ids'::bigint[]) id;
update sluice.models set max_in_flight = 1 where name = :'m';
select task_id as again from sluice.claim(:w, null, 1, at(3)) \gset
select is(sluice.settle_cancellations(at(4)), 4, 'all are settled');
select is(array[places(:retried), places(:solved)], array['cancelled', 'solved'],
  'a waiting task ends, a finished one stays');
select is((select count(*) from unnest(array[:returned, :running]) id
  where places(id) = 'cancelled'), 1::bigint, 'one that went back to its queue ends');
select is(places(:again), 'lease', 'one that another call has');
select results_eq('select task_id, fence from sluice.cancellation',
  format('values (%s::bigint, 2)', :again), 'is to be aborted under its new fence');
select is(sluice.settle_cancellations(at(5)), 0, 'then there is nothing to settle');
select is_empty(format('select from sluice.attempt where task_id = %s and kind = ''late''', :again),
  'and nothing came late');

select * from finish();
rollback;
