begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m', prompt => 'secret') as a, given_task(:'m', prompt => 'secret') as b \gset
select sluice.cancel(id, at(1)) from unnest(array[:a, :b]) id \g /dev/null
insert into sluice.attempt (task_id, ended_at, fence, kind, error)
  values (:a, at(1), 1, 'retry', 'secret');
select sluice.forget_texts(array[:a], at(2));
select sluice.forget_texts(array[:a], at(3));
select is((select row(prompt, forgotten_at)::text from sluice.task where id = :a),
  row('', at(2))::text, 'the task, at the first time');
select is((select r.error is null and a.error is null from sluice.result r join sluice.attempt a
  using (task_id) where task_id = :a), true, 'its result and its attempt');
select is((select prompt from sluice.task where id = :b), 'secret', 'no other task');

select * from finish();
rollback;
