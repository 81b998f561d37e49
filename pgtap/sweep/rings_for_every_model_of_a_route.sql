begin;
\set alone
\ir ../_helpers.sql
select plan(2);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_model() as n \gset
select given_model() as other \gset
select given_route(:'m', :'n') as r \gset
select given_lanes('route_' || :'r', 0);
select sluice.set_mark(id, at(10)) from sluice.lane where line = 'route_' || :'r' \g /dev/null
insert into sluice.backlog (task_id, ready_at, request_bytes, fence, rank, attempts, due, route, tenant)
values (1, at(0), 1, 0, 0, 0, true, :'r', 'default');
select is(sluice.sweep(at(11)), 1, 'the sweep finds a row of a route');
select is(array[rung(:'m'), rung(:'n'), rung(:'other')], array[true, true, false], 'and rings for the models of that route');

select * from finish();
rollback;
