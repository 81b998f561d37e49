-- sluice.give_up
begin;
\ir ../../_helpers.sql
select plan(2);


select given_model(max_attempts => 9) as m \gset
update sluice.models set breaker_failures = 1000 where name = :'m';
select given_worker() as w \gset
select given_task(:'m') as t \gset
create function tried(p_worker bigint, p_outcome sluice.outcome, p_now numeric) returns text
  language plpgsql
as $$
begin
  update sluice.later set ready_at = at(p_now) where task_id = p_outcome.task_id;
  perform sluice.wake(at(p_now));
  perform claimed(p_worker, 1, at(p_now));
  perform completed(p_worker, p_outcome, at(p_now));
  return places(p_outcome.task_id);
end
$$;
select tried(:w, unsent(:t, 1), 1) \g /dev/null
select tried(:w, told(:t, 'retry', 2, http_status => 500), 3000) \g /dev/null
select tried(:w, unsent(:t, 3), 3500) \g /dev/null
select is(tried(:w, unsent(:t, 4), 4000), 'later',
  'an hour after the first try, but not after the last that was sent');
select is(tried(:w, unsent(:t, 5), 7100), 'failed', 'and then after that');

select * from finish();
rollback;
