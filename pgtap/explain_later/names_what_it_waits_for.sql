begin;
\ir ../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model() as m \gset
select given_task(:'m', run_at => at(90)) as t \gset
select is(sluice.explain_later(t, b, 'x', at(1)), 'waits until 00:01:30 (run_at) for x', 'its time')
from sluice.task t join sluice.backlog b on b.task_id = t.id where t.id = :t;
select is(sluice.explain_later(t, b, 'x', at(91)), 'waits to be admitted: its time has come (run_at) for x', 'admission')
from sluice.task t join sluice.backlog b on b.task_id = t.id where t.id = :t;
insert into sluice.attempt (task_id, ended_at, fence, kind, http_status) values (:t, at(1), 1, 'retry', 502);
select is(sluice.explain_later(t, row(b.task_id, at(80), null, b.model, 1, 1, 0, 1, false, null, b.tenant)::sluice.backlog, 'x', at(1)),
  'waits until 00:01:20 to retry on x: attempt 2 of 3 is next, the last one failed with 502', 'the backoff')
from sluice.task t join sluice.backlog b on b.task_id = t.id where t.id = :t;
insert into sluice.attempt (task_id, ended_at, fence, kind, error_code, error)
values (:t, at(2), 2, 'returned', 'not_sent', 'nobody listens at http://h');
select is(sluice.explain_later(t, row(b.task_id, at(80), null, b.model, 1, 1, 0, 1, false, null, b.tenant)::sluice.backlog, 'x', at(1)),
  'waits until 00:01:20 to try again on x, uncharged: nobody listens at http://h', 'the wait of what was not sent')
from sluice.task t join sluice.backlog b on b.task_id = t.id where t.id = :t;

select * from finish();
rollback;
