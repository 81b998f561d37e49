-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_task(:'m', deadline => at(10)) as late \gset
select given_task(:'m', deadline => at(20)) as in_time \gset
select is(claimed(:w, 10, at(10)), array[:in_time]::bigint[],
  'a task past its deadline is not given');
select is(places(:late), 'expired', 'it has ended');
select is(sluice.permits_now(model_row(:'m'), at(10)), 6, 'it took no permit');
select is((select error_code from sluice.result where task_id = :late), 'deadline',
  'the result says why');
select is(sluice.in_flight(id_of(:'m')), 1::bigint, 'nor does it count as a call');

select * from finish();
rollback;
