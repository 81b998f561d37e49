begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_task(:'m', run_at => at(100)) as c \gset
select given_task(:'m', deadline => at(5)) as e \gset
select given_task(:'m', deadline => at(50)) as k \gset
select sluice.cancel(:c, at(1)), sluice.cancel(:k, at(1)), sluice.expire_due(at(6)) \g /dev/null
select is(array[places(:c), places(:e)], array['cancelled', 'expired'],
  'one was cancelled, one expired');
select sluice.redrive(:c, at(10)), sluice.redrive(:e, at(10)),
  sluice.redrive(:k, at(10)) \g /dev/null
select is(places(:c), 'later', 'a run_at to come still counts');
select is(ready_at, at(100), 'as it was') from sluice.later where task_id = :c;
select is((select deadline from sluice.queue where task_id = :e), null,
  'a deadline that has passed is dropped');
select is((select deadline from sluice.queue where task_id = :k), at(50), 'one to come stays');
select is(array(select error_code from sluice.attempts where task_id in (:c, :e)
  and kind = 'redriven' order by task_id),
  array['cancelled', 'deadline'], 'the history says what it was');

select * from finish();
rollback;
