begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_task(:'m', run_at => at(10)) \g /dev/null
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(5))',
  id_of(:'m')), 'values (false, at(10))', 'later');
select ok(work, 'due') from sluice.next_work(array[id_of(:'m')], at(10));

select * from finish();
rollback;
