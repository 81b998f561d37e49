begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_model() as n \gset
select given_route(:'m') as r \gset
select sluice.ring_line('route_nowhere') \g /dev/null
select is(array[rung(:'m'), rung(:'n')], array[false, false], 'no model, no bell');
select sluice.ring_line('route_' || :'r');
select is(array[rung(:'m'), rung(:'n')], array[true, false], 'a route: its models');
select sluice.ring_line('backlog_' || id_of(:'n'));
select is(rung(:'n'), true, 'a backlog: its model');

select * from finish();
rollback;
