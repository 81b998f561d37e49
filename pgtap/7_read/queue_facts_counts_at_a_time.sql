begin;
\ir ../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) \g /dev/null
select claimed(:w, 3, at(1)) \g /dev/null
select results_eq(format('select depth, in_flight, waiting, oldest_ready, permits_now,
  next_permit_at from sluice.queue_facts(at(1))
  where model = %s', id_of(:'m')), 'values (7, 3::bigint, 0::bigint, at(0), 4, at(1))',
    'at that time');

select * from finish();
rollback;
