-- sluice.judge_late
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1, at(1)), completed(:w, told(:t, 'failed'), at(2)),
  sluice.redrive(:t, at(3)) \g /dev/null
select ok(completed(:w, told(:t, 'failed'), at(4)), 'the failure was told before, and holds');
select is_empty(format('select from sluice.attempt where task_id = %s and kind = ''late''', :t),
  'nothing is late about it');
select ok(not completed(:w, told(:t, 'solved', answer => 'paid for'), at(5)),
  'an answer never ended the task');
select is((select answer from sluice.attempt where task_id = :t and kind = 'late'), 'paid for',
  'it is kept for audit');

select * from finish();
rollback;
