-- sluice.may_take
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a']) as wa, given_worker(array[:'b']) as wb \gset
select given_tasks(:'r', 1000) \g /dev/null
select cardinality(claimed(:wb, 10, at(1))) \g /dev/null
select cmp_ok(cardinality(claimed(:wa, 1000, at(1.5))), '<', 200,
  'who asked half a second ago is waited for');
select is(cardinality(claimed(:wa, 300, at(1.7))), 0, 'no further than the slack');
select is(cardinality(claimed(:wa, 300, at(2.1))), 300, 'after a second nobody is');

select * from finish();
rollback;
