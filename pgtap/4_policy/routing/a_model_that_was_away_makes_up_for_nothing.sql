-- sluice.may_take
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a']) as wa, given_worker(array[:'b']) as wb \gset
select given_tasks(:'r', 3000) \g /dev/null
select claimed(:wb, 20, at(1)), claimed(:wa, 20, at(1.1)), claimed(:wb, 20, at(1.2)) \g /dev/null
select is(cardinality(claimed(:wb, 1000, at(10))), 1000,
  'while one does not ask the other takes what it likes');
select is(cardinality(claimed(:wb, 10, at(11.9))), 10, 'it goes on');
select ok(n between 32 and 150,
  format('who comes back takes its share and the slack, at once: %s', n))
from cardinality(claimed(:wa, 1000, at(12))) n;

select * from finish();
rollback;
