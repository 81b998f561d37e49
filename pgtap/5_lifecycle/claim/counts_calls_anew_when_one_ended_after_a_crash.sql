-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(max_in_flight => 3) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) \g /dev/null
select (claimed(:w, 3))[1] as t \gset
select forget_counter('claimed', :'m'), forget_counter('ended', :'m') \g /dev/null
select completed(:w, told(:t, 'solved')) \g /dev/null
select is(cardinality(claimed(:w, 10)), 1, 'one ended, one may begin');
select is(sluice.in_flight(id_of(:'m')), 3::bigint, 'and three are under way');

select * from finish();
rollback;
