-- sluice.choose, sluice.speed_of
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(4);

select given_model() as known, given_model() as new \gset
select given_choice('latency', :'known', :'new') as r \gset
select given_worker(array[:'known', :'new']) as w \gset
select given_tasks(:'r', 3, at(1)) \g /dev/null
select is(cardinality(claimed(:w, 10, at(1))), 3, 'of neither anything is known: nothing waits');
delete from sluice.lease;
select sluice.recount_in_flight(id_of(:'known')), sluice.recount_in_flight(id_of(:'new'))
\g /dev/null
select given_speed(:'known', 0.01, at(2)) \g /dev/null
select trickled(:'r', :w, 40, 2) \g /dev/null
select is((calls(:'known', :'new'))[2], 1, 'the new one is tried, and not flooded');
select isnt((sluice.speed_of(id_of(:'known'), at(601))).solved, null, 'what is known is kept');
select is((sluice.speed_of(id_of(:'known'), at(603))).solved, null, 'for ten minutes');

select * from finish();
rollback;
