-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'returned')) \g /dev/null
select claimed(:other, 1, at(3)) \g /dev/null
select is(completed(:w, told(:t, 'solved', answer => 'late')), false,
  'another worker has the task now');
select is(places(:t), 'lease', 'nothing changed');
select is(completed(:w, told(:t, 'solved', answer => 'late')), false, 'nor when it is told again');
select results_eq(format('select kind, answer, worker, fence from sluice.attempt '
                         'where task_id = %s', :t),
  format('values (''late''::text, ''late''::text, %s::bigint, 1)', :w),
    'what somebody paid for is kept, once');
select is(completed(:other, told(:t, 'solved', 2, answer => 'right')), true,
  'who has the task applies its own');
select is((select answer from sluice.result where task_id = :t), 'right', 'and that is the result');
select is(completed(:w, told(0, 'solved')), false, 'of a task that there is not nothing is kept');

select * from finish();
rollback;
