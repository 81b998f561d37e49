begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_lanes('route_' || :'r', 0, 5) \g /dev/null
select 'mark_' || min(id) as sequence from sluice.lane where line = 'route_' || :'r' \gset
delete from sluice.routes where route = :'r' and model = :'a';
set constraints all immediate;
select is((select count(*) from sluice.lane where line = 'route_' || :'r'), 2::bigint, 'while it has a model they stay');
set constraints all deferred;
delete from sluice.routes where route = :'r';
select is((select count(*) from sluice.lane where line = 'route_' || :'r'), 2::bigint, 'until the commit, too');
set constraints all immediate;
select is((select count(*) from sluice.lane where line = 'route_' || :'r'), 0::bigint, 'then they go');
select hasnt_sequence('sluice', :'sequence'::name, 'with their sequences');

select * from finish();
rollback;
