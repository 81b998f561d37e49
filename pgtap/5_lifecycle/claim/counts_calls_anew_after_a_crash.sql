-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_in_flight => 3) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) \g /dev/null
select (claimed(:w, 2))[1] as t \gset
select forget_counter('claimed', :'m'), forget_counter('ended', :'m') \g /dev/null
select is(sluice.in_flight(id_of(:'m')), 2::bigint, 'the leases say how many there are');
select is(cardinality(claimed(:w, 10)), 1, 'so one more may begin');
select is(sluice.in_flight(id_of(:'m')), 3::bigint, 'the counters know the old ones too');
select completed(:w, told(:t, 'solved')) \g /dev/null
select is(sluice.in_flight(id_of(:'m')), 2::bigint, 'and count on from there');

select * from finish();
rollback;
