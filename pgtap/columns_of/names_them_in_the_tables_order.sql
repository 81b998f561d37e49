begin;
\ir ../_helpers.sql
select plan(2);

select is(sluice.columns_of('route_line'), 'n, route, api', 'a table');
select is(sluice.columns_of('task_attic'), sluice.columns_of('task'), 'the attic has those of its parent');

select * from finish();
rollback;
