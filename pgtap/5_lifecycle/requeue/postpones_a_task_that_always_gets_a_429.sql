-- sluice.postpone, sluice.closed_for
-- A request larger than the provider's tokens a minute gets a 429 whenever it is sent. Back at its
-- old place it was called first whenever its model opened, and closed it for all behind it.
begin;
\ir ../../_helpers.sql
select plan(11);

-- called: the task that a claim gives at p_at, which the backend refuses for 3 s if it is p_huge,
-- and answers otherwise.
create function called(p_worker bigint, p_huge bigint, p_at numeric) returns bigint
language plpgsql
as $$
declare
  v_task record;
begin
  select c.task_id, c.fence into v_task from sluice.claim(p_worker, null, 1, at(p_at)) c;
  perform sluice.complete(p_worker, array[case when v_task.task_id = p_huge
      then told(v_task.task_id, 'throttled', v_task.fence, error => 'HTTP 429: too large',
        http_status => 429, error_code => 'http_429', retry_after_ms => 3000)
      else told(v_task.task_id, 'solved', v_task.fence, answer => 'yes') end], at(p_at + 0.5))
  where v_task.task_id is not null;
  return v_task.task_id;
end
$$;

select given_model() as m, given_worker() as w \gset
select given_task(:'m') as huge, given_tasks(:'m', 40) as ids \gset
select is(array(select called(:w, :huge, 4 * n) from generate_series(1, 9) n),
  array_fill(:huge::bigint, array[9]), 'a task that gets a 429 goes back to its old place');
select is((model_row(:'m')).closed_until, at(39.5), 'and closes its model');
select is(called(:w, :huge, 39), null, 'for everybody');
select is(array(select called(:w, :huge, 40 + n * 0.1) from generate_series(1, 3) n),
  (:'ids'::bigint[])[1:3], 'after the ninth the others come first');
select called(:w, :huge, 41 + n * 0.1) from generate_series(1, 37) n \g /dev/null
select is((select count(*) from sluice.result where task_id = any (:'ids')), 40::bigint,
  'and all are answered');
select matches(sluice.explain(:huge, at(37)), 'to try again on .*, uncharged: HTTP 429: too large',
  'it is told why it waits');
select sluice.wake(at(99)) \g /dev/null
select is(called(:w, :huge, 100), :huge::bigint, 'its own time comes');
select cmp_ok(l.ready_at, '>=', at(106.5), 'and it waits for longer each time')
from sluice.later l where l.task_id = :huge;
select is((model_row(:'m')).closed_until, at(103.5), 'than its model is closed');
select is((select attempts from sluice.task(:huge)), 0, 'it is not charged');

-- What went before a redrive does not count.
select given_model() as other \gset
select given_worker(array[:'other']) as w2 \gset
update sluice.models set max_attempts = 1 where name = :'other';
select given_task(:'other') as again \gset
create function failed_and_redriven(p_worker bigint, p_task bigint, p_at numeric) returns bigint
language plpgsql
as $$
begin
  perform sluice.complete(p_worker, array(select told(c.task_id, 'failed', c.fence, error => 'no')
    from sluice.claim(p_worker, null, 1, at(p_at)) c), at(p_at));
  return sluice.redrive(p_task, at(p_at));
end
$$;
select failed_and_redriven(:w2, :again, 200 + n) from generate_series(1, 10) n \g /dev/null
select called(:w2, :again, 220) \g /dev/null
select is((select count(*) from sluice.later l where l.task_id = :again), 0::bigint,
  'its first 429 after ten redrives');

select * from finish();
rollback;
