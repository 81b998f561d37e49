begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'failed'), at(2)) \g /dev/null
-- Committed after the lease had ended, and not settled yet.
insert into sluice.cancellation (task_id, worker, at, fence) values (:t, :w, at(2), 1);
select sluice.redrive(:t, at(3)) \g /dev/null
select is(sluice.settle_cancellations(at(4)), 0, 'the mark went with the outcome that it missed');
select is(places(:t), 'queue', 'the task is on its way');

select * from finish();
rollback;
