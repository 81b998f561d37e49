begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is((sluice.task_filter_of(:'m', 'x', null, 7)).model, id_of(:'m'), 'a model');
select is((sluice.task_filter_of(:'r', 'x', null, 7)).route, :'r', 'a route');
select is((sluice.task_filter_of(null, 'x', '{"a": 1}', 7))::text, '(,,x,"{""a"": 1}",7)', 'none of them');
select is((error_of('select sluice.task_filter_of(''nothing of the kind'', null, null, null)')).code, 'SL001', 'an unknown name');

select * from finish();
rollback;
