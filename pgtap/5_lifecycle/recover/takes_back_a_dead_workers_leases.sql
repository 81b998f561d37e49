begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
select given_worker(p_now => at(0)) as dead \gset
select given_worker(p_now => at(0)) as judge \gset
select given_task(:'m') as t \gset
select claimed(:dead, 1) \g /dev/null
select given_mark(:'m', at(1));
select sluice.heartbeat(:judge, at(s)) from unnest(array[5, 10, 15]) s \g /dev/null
select is(sluice.recover(:judge, at(15)), 0, 'after one time-out exactly it is alive');
select sluice.heartbeat(:judge, at(20)) \g /dev/null
select is(sluice.recover(:judge, at(20)), 1, 'after more than one it is dead');
select results_eq(format('select fence, attempts::int, ready_at from sluice.queue '
                         'where task_id = %s', :t),
  'values (1, 1, at(0))', 'the task is at its place, with one attempt charged');
select results_eq(format('select kind, worker, billed, error_code from sluice.attempt '
                         'where task_id = %s', :t),
  format('values (''lost''::text, %s::bigint, null::boolean, ''worker_lost''::text)', :dead),
    'noted as possibly billed');
select cmp_ok(marked(:'m'), '<=', at(0), 'no mark hides it');
select ok(shares_lock(:'m'), 'its model''s sleeper was notified');
select is((select dead_at from sluice.worker where id = :dead), at(20),
  'the worker''s row is kept');
select is(sluice.in_flight(id_of(:'m')), 0::bigint, 'nothing is in flight');
select is(sluice.recover(:judge, at(20)), 0, 'once');

select * from finish();
rollback;
