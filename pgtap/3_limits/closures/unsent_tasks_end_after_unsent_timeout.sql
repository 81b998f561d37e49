-- sluice.give_up
begin;
\ir ../../_helpers.sql
select plan(9);


select given_model(max_attempts => 1) as m \gset
update sluice.models set backoff_base = '1 second', backoff_max = '5 minutes',
  breaker_failures = 1000 where name = :'m';
select given_worker() as w \gset
select given_task(:'m') as t \gset
create function try_again(p_worker bigint, p_task bigint, p_fence int,
  p_now numeric) returns timestamptz language plpgsql
as $$
begin
  update sluice.later set ready_at = at(p_now) where task_id = p_task;
  perform sluice.wake(at(p_now));
  perform claimed(p_worker, 1, at(p_now));
  perform completed(p_worker, unsent(p_task, p_fence), at(p_now));
  return (select ready_at from sluice.later where task_id = p_task);
end
$$;
select is(try_again(:w, :t, 1, 1) <= at(2), true, 'the first wait is at most backoff_base');
select is(places(:t), 'later', 'it waits');
select is((select attempts from sluice.later where task_id = :t), 0::smallint,
  'uncharged, though it may have one attempt');
select results_eq(format('select kind, error_code, billed from sluice.attempt where task_id = %s',
  :t), $$values ('returned', 'not_sent', false)$$, 'and each try is noted');
select is(bool_or(try_again(:w, :t, f, 100 * f) > at(100 * f + 4)), true, 'waits grow')
from generate_series(2, 20) f;
select is(try_again(:w, :t, 21, 3600) <= at(3601), true, 'the last wait ends with the time');
select is(places(:t), 'later', 'until then it waits');
select try_again(:w, :t, 22, 3601) \g /dev/null
select is(places(:t), 'failed', 'an hour after the first try it has failed');
select is((select concat_ws(' | ', error_code, attempts, error) from sluice.result
  where task_id = :t),
  'not_sent | 1 | nothing could be sent for 01:00:00 (settings.unsent_timeout): nobody listens',
    'with its reason');

select * from finish();
rollback;
