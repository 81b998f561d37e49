begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) \g /dev/null
select ids[1] as a, ids[2] as b, ids[3] as c from claimed(:w, 3) ids \gset
select results_eq(format('select task_id, applied from sluice.complete(%s, array[told(%s,
  ''solved''), told(%s, ''solved''),
    told(0, ''solved''), told(%s, ''solved'')], at(2))', :w, :c, :a, :b),
  format('values (%s::bigint, true), (%s, true), (0, false), (%s, true)', :c, :a, :b),
    'the n-th answer is the n-th outcome''s');

select given_tasks(:'m', 2) \g /dev/null
select ids[1] as a, ids[2] as b from claimed(:w, 2) ids \gset
select format('[0:1]={"(%s,1,solved,first,,,,,,,,)","(%s,1,solved,second,,,,,,,,)"}',
  :a, :b) as told \gset
select throws_ok(format('select sluice.complete(%s, %L)', :w, :'told'), 'SL004',
  'the arrays of outcomes and usages are [0:1]', 'which are counted from 1');
select throws_ok(format('select sluice.complete(%s, array[array[told(%s, ''x'')]])', :w, :a),
  'SL004', null, 'in one dimension,');
select throws_ok(format('select sluice.complete_with_usage(%s, array[told(%s, ''solved'')], %L)',
  :w, :a, '[0:0]={"(1,1,1)"}'), 'SL004', null, 'and so are usages');

select * from finish();
rollback;
