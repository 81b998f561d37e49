begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(sluice.is_served(id_of(:'m'), null), true, 'a model');
select is(sluice.is_served(null, :'r'), true, 'a route');
select is(sluice.is_served(-1, null), false, 'no model');
delete from sluice.routes where route = :'r';
select is(sluice.is_served(null, :'r'), false, 'no route any more');

select * from finish();
rollback;
