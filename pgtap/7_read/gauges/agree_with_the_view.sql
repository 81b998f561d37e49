begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a, given_model() as b \gset
update sluice.models set max_unfinished = 7 where name = :'a';
select given_tasks(:'a', 3) \g /dev/null
update sluice.breaker set state = 'half_open', since = at(0) where model = id_of(:'b');
select results_eq(format('select model, queued, in_flight, waiting, max_unfinished,
  oldest_ready_s is not null, breaker, blocked, no_worker
    from sluice.queue_gauges() where model in (%L, %L) order by model <> %1$L', :'a', :'b'),
  format('values (%L, 3, 0::bigint, 0::bigint, 7::bigint, true, 0, null::text, true), (%L, 0, 0, '
         '0, %s, true, 1, null, true)', :'a', :'b',
    (select max_unfinished from sluice.settings)), 'of each model');
select bag_eq('select model, queued + waiting + in_flight from sluice.queue_gauges()',
  'select model, unfinished from sluice.queues', 'of all of them');

select * from finish();
rollback;
