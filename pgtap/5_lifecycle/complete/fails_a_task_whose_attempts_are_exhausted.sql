begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(max_attempts => 2) as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select given_task(:'m', max_attempts => 1) as once \gset
select claimed(:w, 2) \g /dev/null
select sluice.complete(:w, array[told(:t, 'retry', error => 'HTTP 500'),
  told(:once, 'retry', error => 'HTTP 500')], at(2)) \g /dev/null
select is(places(:once), 'failed', 'the task''s own max_attempts comes first');
select is(places(:t), 'later', 'else the model''s');
select sluice.wake(at(1000)) \g /dev/null
select claimed(:w, 1, at(1001)) \g /dev/null
select completed(:w, told(:t, 'retry', 2, error => 'HTTP 502'), at(1002)) \g /dev/null
select is(places(:t), 'failed', 'the second was the last');
select results_eq(format('select attempts::int, error, fence from sluice.result where task_id = %s',
  :t), $$values (2, 'HTTP 502'::text, 2)$$, 'the result has the last error');
select is((select array_agg(error order by id) from sluice.attempt where task_id = :t),
  array['HTTP 500', 'HTTP 502'], 'the attempts have all');

select * from finish();
rollback;
