begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) \g /dev/null
select ids[1] as a, ids[2] as b, ids[3] as c from claimed(:w, 3) ids \gset
select sluice.complete(:w, array[told(:a, 'solved'), told(:b, 'returned')], at(2)) \g /dev/null
select results_eq(format('select * from sluice.judge_late(%s, array[told(%s, ''solved''), told(%s,
  ''returned''), told(%s, ''solved''), told(%s, ''solved'')],
    null, at(3), null)', :w, :a, :b, :c, :c),
  format('values (%s::bigint, 1, true), (%s, 1, false), (%s, 1, false), (%s, 1, false)', :a, :b,
    :c, :c),
  'applied is what left a trace; a return left none, and repeating it changes nothing');
select is((select array_agg(task_id) from sluice.attempt where kind = 'late' and worker = :w),
  array[:c]::bigint[], 'only an answer is kept for audit, once');

select * from finish();
rollback;
