-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(2);

-- The watcher has to hear of the new time: it may sleep for longer than that.
select given_model() as m \gset
select given_worker() as w \gset
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
  values (-1, at(0), id_of(:'m'), 0, 'default', 'x');
insert into sluice.lease (task_id, worker, ready_at, started_at, model, request_bytes, fence, rank,
  attempts, tenant)
values (-1, :w, at(0), at(0), id_of(:'m'), 1, 1, 0, 0, 'default');
select ok(not shares_lock(:'m'), 'nobody was notified yet');
select completed(:w, told(-1, 'retry')) \g /dev/null
select ok(shares_lock(:'m'), 'a retry notifies');

select * from finish();
rollback;
