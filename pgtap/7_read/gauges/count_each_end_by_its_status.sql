begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m, given_worker(p_now => clock_timestamp()) as w \gset
update sluice.worker set dead_at = now() where id <> :w;
create temporary table before as select * from sluice.fleet_gauges();
select given_task(:'m', max_attempts => 1) from generate_series(1, 4) \g /dev/null
select claimed(:w, 4) as ts \gset
select sluice.complete(:w, array[told((:'ts'::bigint[])[1], 'solved'),
  told((:'ts'::bigint[])[2], 'solved'),
  told((:'ts'::bigint[])[3], 'failed'), told((:'ts'::bigint[])[4], 'retry')], at(2)) \g /dev/null
select sluice.cancel(given_task(:'m')) \g /dev/null
select given_task(:'m', deadline => at(5)) \g /dev/null
select sluice.expire_due(at(6)) \g /dev/null
select results_eq('select a.solved - b.solved, a.failed - b.failed, a.cancelled - b.cancelled,
  a.expired - b.expired
    from sluice.fleet_gauges() a, before b',
  'values (2::bigint, 2::bigint, 1::bigint, 1::bigint)',
    'solved, failed for good, cancelled, expired');
select is((select workers from sluice.fleet_gauges()), 1::bigint, 'the live worker');

select * from finish();
rollback;
