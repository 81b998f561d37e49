begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.models set max_unfinished = 10 where name in (:'a', :'b');
select lives_ok(format('select sluice.take_in_route(%L, %s, 10, %L)', :'r', id_of(:'a'), at(0)), 'ten in the other model');
select is((error_of(format('select sluice.take_in_route(%L, %s, 11, %L)', :'r', id_of(:'a'), at(0)))).code, 'SL003', 'no eleven');

select * from finish();
rollback;
