-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(max_in_flight => 4) as m \gset
select given_worker() as v, given_worker() as w \gset
select given_tasks(:'m', 20) \g /dev/null
select claimed(:v, 3) as mine \gset
update sluice.models set max_in_flight = 2 where name = :'m';
select is(claimed(:w, 10), '{}', 'lowered below what is under way: no call begins');
select completed(:v, told(t, 'solved')) from unnest((:'mine'::bigint[])[1:1]) t \g /dev/null
select is(claimed(:w, 10), '{}', 'nor when as many as it allows are under way');
select completed(:v, told(t, 'solved')) from unnest((:'mine'::bigint[])[2:2]) t \g /dev/null
select is(cardinality(claimed(:w, 10)), 1, 'below it one begins');
update sluice.models set max_in_flight = 5 where name = :'m';
select is(cardinality(claimed(:w, 10)), 3, 'raised: those under way count');
update sluice.models set max_in_flight = null where name = :'m';
select is(cardinality(claimed(:w, 4)), 4, 'taken away: any number');
update sluice.models set max_in_flight = 9 where name = :'m';
select is(cardinality(claimed(:w, 10)), 0, 'set anew: those that began without a bound count, too');

select * from finish();
rollback;
