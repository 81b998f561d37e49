-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_task(:'m', deadline => at(1)) as t \gset
select is(claimed(:w, 10, at(2)), '{}', 'nothing to give');
select is(places(:t), 'expired', 'the task has ended');
select is(sluice.permits_now(model_row(:'m'), at(2)), 7, 'and every permit is still there');

select * from finish();
rollback;
