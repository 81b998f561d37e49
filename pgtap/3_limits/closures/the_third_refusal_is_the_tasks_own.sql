-- sluice.give_up
begin;
\ir ../../_helpers.sql
select plan(11);


select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 2) as ids \gset
create function refused_again(p_worker bigint, p_task bigint, p_status int,
  p_fence int) returns text language plpgsql
as $$
declare
  v_now timestamptz := at(10 * p_fence);
begin
  update sluice.later set ready_at = v_now where task_id = p_task;
  perform sluice.wake(v_now);
  perform claimed(p_worker, 2, v_now);
  perform completed(p_worker, refused(p_task, p_fence, p_status), v_now);
  return places(p_task);
end
$$;
select is(refused_again(:w, (:'ids'::bigint[])[1], 403, f), e, format('403, answer %s', f))
from (values (1, 'later'), (2, 'later'), (3, 'failed')) x(f, e);
select is((select concat_ws(' ', error_code, attempts) from sluice.result
  where task_id = (:'ids'::bigint[])[1]), 'http_403 1', 'and it is charged');
select is((model_row(:'m')).closed_until, null, 'one task closes no model, however often');
select is((select string_agg(kind, ' ' order by id) from sluice.attempt
  where task_id = (:'ids'::bigint[])[1]), 'returned returned failed', 'each call is noted');

-- Not while other tasks, too, were refused in a row, and another tenant is being called.
select given_task(:'m', tenant => 'another') \g /dev/null
update sluice.refusal set tasks = '{1,2,3,4,5}', http_status = 404;
select is(refused_again(:w, (:'ids'::bigint[])[2], 404, f), 'later',
  format('in doubt, answer %s', f))
from (values (1), (2), (3), (4)) x(f);
update sluice.attempt set ended_at = ended_at - interval '1 hour';
select is(refused_again(:w, (:'ids'::bigint[])[2], 404, 5), 'failed',
  'in doubt for longer than unsent_timeout');

select * from finish();
rollback;
