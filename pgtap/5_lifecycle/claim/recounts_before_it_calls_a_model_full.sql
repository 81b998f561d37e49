begin;
\ir ../../_helpers.sql
select plan(2);

-- A claim that was rolled back has counted its calls all the same: a sequence does not roll back.
select given_model(max_in_flight => 3) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) \g /dev/null
savepoint before;
select is(cardinality(claimed(:w, 3)), 3, 'a claim');
rollback to before;
select is(cardinality(claimed(:w, 10)), 3,
  'it was rolled back: nothing is in flight, so three may begin');

select * from finish();
rollback;
