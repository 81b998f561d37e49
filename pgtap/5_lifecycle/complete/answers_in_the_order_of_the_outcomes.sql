begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) \g /dev/null
select ids[1] as a, ids[2] as b, ids[3] as c from claimed(:w, 3) ids \gset
select results_eq(format('select task_id, applied from sluice.complete(%s, array[told(%s,
  ''solved''), told(%s, ''solved''),
    told(0, ''solved''), told(%s, ''solved'')], at(2))', :w, :c, :a, :b),
  format('values (%s::bigint, true), (%s, true), (0, false), (%s, true)', :c, :a, :b),
    'the n-th answer is the n-th outcome''s');

select * from finish();
rollback;
