begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(p_now => at(0)) as w \gset
select given_worker(p_now => at(0)) as judge \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(sluice.recover(:judge, at(100)), 0,
  'a judge that was itself not seen for a time-out judges nobody');
select sluice.heartbeat(:judge, at(100)) \g /dev/null
select is(sluice.recover(:judge, at(101)), 0,
  'nor does it right after its first beat: both were frozen, or the database was down');
select is((select dead_at from sluice.worker where id = :w), null, 'the other is alive');
select is(sluice.recover(1, at(101)), 0, 'nor does somebody unknown');

select * from finish();
rollback;
