begin;
\ir ../../_helpers.sql
select plan(1);

select given_worker(p_now => at(0)) as judge \gset
select sluice.heartbeat(:judge, at(10)), sluice.heartbeat(:judge, at(20)) \g /dev/null
select sluice.recover(:judge, at(34)) \g /dev/null
select is((select dead_at from sluice.worker where id = :judge), null, 'itself it leaves alone');

select * from finish();
rollback;
