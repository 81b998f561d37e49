begin;
\ir ../../_helpers.sql
select plan(2);

-- A claim that began before its worker was declared dead, and committed after.
select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
update sluice.worker set dead_at = at(0) where id = :w;
select is(sluice.recover(null, at(10)), 1, 'the lease is taken back');
select is(places(:t), 'queue', 'and the task queued');

select * from finish();
rollback;
