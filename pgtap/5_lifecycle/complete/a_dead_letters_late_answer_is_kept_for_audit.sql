-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(4);

-- The dead letter was written in the name of the lost worker, under the fence of its call: it is
-- not that call's outcome.
select given_model(max_attempts => 1) as m \gset
select given_worker(p_now => at(0)) as frozen \gset
select given_worker(p_now => at(0)) as judge \gset
select given_task(:'m') as t \gset
select sluice.claim(:frozen, null, 1, at(1)) \g /dev/null
select sluice.heartbeat(:judge, at(10)), sluice.heartbeat(:judge, at(20)) \g /dev/null
select sluice.recover(:judge, at(20)) \g /dev/null
select is(places(:t), 'failed', 'the worker froze on the last attempt');
select is(completed(:frozen, told(:t, 'solved', answer => 'late'), at(30)), false,
  'its answer is late');
select is((select answer from sluice.attempt where task_id = :t and kind = 'late'), 'late',
  'and kept');
select is(places(:t), 'failed', 'the result stays what it is');

select * from finish();
rollback;
