begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t from generate_series(1, 2) \g /dev/null
select ids[1] as a, ids[2] as b from claimed(:w, 2) ids \gset
select sluice.complete(:w, array[told(:a, 'retry', retry_after_ms => 60000),
  told(:b, 'retry', retry_after_ms => 999999999999)], at(2)) \g /dev/null
select is((select ready_at from sluice.later where task_id = :a), at(62),
  'a minute, if the backend says so');
select is((select ready_at from sluice.later where task_id = :b), at(3602), 'but at most an hour');

select * from finish();
rollback;
