-- sluice.rivals, sluice.note_routed
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(7);

select given_model(max_in_flight => 3) as fast, given_model() as slow \gset
select given_choice('latency', :'fast', :'slow') as r \gset
select given_worker(array[:'fast', :'slow']) as w \gset
select given_speed(:'fast', 0.01), given_speed(:'slow', 0.03) \g /dev/null
select trickled(:'r', :w, 20) \g /dev/null
select is(calls(:'fast', :'slow'), '{3,17}', 'not for one that is full');
update sluice.models set max_in_flight = null where name = :'fast';
select sluice.pause(:'fast') \g /dev/null
select trickled(:'r', :w, 3, 3) \g /dev/null
select is(calls(:'fast', :'slow'), '{3,20}', 'paused');
select sluice.resume(:'fast') \g /dev/null
select sluice.close_model(:'fast', at(5)) \g /dev/null
select trickled(:'r', :w, 3, 4) \g /dev/null
select is(calls(:'fast', :'slow'), '{3,23}', 'closed');
select trickled(:'r', :w, 3, 5) \g /dev/null
select is(calls(:'fast', :'slow'), '{6,23}', 'open again: at once');

-- One worker serves the slow one alone.
select given_worker(array[:'slow']) as v \gset
select trickled(:'r', :v, 3, 5.2) \g /dev/null
select is(calls(:'fast', :'slow'), '{6,23}', 'the other worker would take them');
select trickled(:'r', :v, 3, 6.5) \g /dev/null
select is(calls(:'fast', :'slow'), '{6,29}', 'if it had asked within a second');

-- The other one gets all that its slots allow: it does not count before it asks again.
select given_tasks(:'r', 30, at(8)) \g /dev/null
select from sluice.claim_within(:w, array[:'fast', :'slow'], array[10, 0], 10, at(8)) \g /dev/null
select cmp_ok(cardinality(claimed(:v, 20, at(8))), '>=', 15, 'nor for one that has no slot');

select * from finish();
rollback;
