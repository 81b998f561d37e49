-- sluice.others_are_open
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_route(:'a', :'b') as r \gset
select is(sluice.others_are_open(:'r', id_of(:'a'), at(1)), true, 'the other model of a route');
update sluice.routes set weight = 0 where route = :'r' and model = :'b';
select is(sluice.others_are_open(:'r', id_of(:'a'), at(1)), false, 'not one without a weight');
update sluice.routes set weight = 1 where route = :'r' and model = :'b';
update sluice.models set closed_until = at(5) where name = :'b';
select is(sluice.others_are_open(:'r', id_of(:'a'), at(1)), false, 'not one that is closed');
select is(sluice.others_are_open(:'r', id_of(:'a'), at(6)), true, 'until it opens');
select is(sluice.others_are_open(null, id_of(:'a'), at(1)), false, 'of no route there are none');

select * from finish();
rollback;
