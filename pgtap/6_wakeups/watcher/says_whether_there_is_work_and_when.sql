begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 20) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(1))', :id),
  'values (false, at(6))', 'nothing waits: it may age');
select given_tasks(:'m', 3) \g /dev/null
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(1))', :id),
  'values (true, at(1))', 'a task and a permit: now');
select claimed(:w, 1, at(1)) \g /dev/null
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(1))', :id),
  'values (false, at(4.0125))', 'no permit: when the next comes');
select sluice.close_model(:'m', at(100));
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(50))', :id),
  'values (false, at(100))', 'closed: when it opens');
select sluice.pause(:'m');
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(50))', :id),
  $$values (false, timestamptz 'infinity')$$, 'paused: nobody knows');

select * from finish();
rollback;
