-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(max_in_flight => 3) as m \gset
select given_worker() as v \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) \g /dev/null
select (claimed(:v, 2))[1] as t \gset
select is(cardinality(claimed(:w, 10)), 1, 'two workers share three calls');
select is(claimed(:w, 10), '{}', 'no fourth');
select completed(:v, told(:t, 'solved')) \g /dev/null
select is(cardinality(claimed(:w, 10)), 1, 'one ends, one begins');

select * from finish();
rollback;
