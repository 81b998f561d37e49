begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w, given_task(:'m', run_at => at(10)) as t \gset
create function explained(p_task bigint, p_now timestamptz) returns text language sql
as $$ select replace(sluice.explain_later(t, p_now),
  (select name from sluice.models where id = t.model), 'x') from sluice.task t
  where t.id = p_task $$;
select is(explained(:t, at(1)), 'waits until 00:00:10 (run_at) for x', 'its time');
select is(explained(:t, at(10)), 'waits to be queued: its time has come (run_at) for x',
  'which has come');
insert into sluice.attempt (task_id, ended_at, fence, kind, http_status)
  values (:t, at(1), 1, 'retry', 502);
update sluice.later set ready_at = at(80), attempts = 1 where task_id = :t;
select is(explained(:t, at(1)),
  'waits until 00:01:20 to retry on x: attempt 2 of 3 is next, the last one failed with 502',
  'the backoff');
insert into sluice.attempt (task_id, ended_at, fence, kind, error_code, error)
values (:t, at(2), 2, 'returned', 'not_sent', 'nobody listens at http://h');
select is(explained(:t, at(1)),
  'waits until 00:01:20 to try again on x, uncharged: nobody listens at http://h',
  'the wait of what was not sent');

select * from finish();
rollback;
