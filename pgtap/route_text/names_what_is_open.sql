begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select is(sluice.route_text(:'r', at(0)), format('open: %s, %s', :'a', :'b'), 'both');
update sluice.models set paused = true where name = :'a';
select is(sluice.route_text(:'r', at(0)), 'open: ' || :'b', 'one');
update sluice.routes set weight = 0 where route = :'r' and model = :'b';
select is(sluice.route_text(:'r', at(0)), 'none of its models is open', 'none: a weight of 0 takes nothing');

select * from finish();
rollback;
