begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_route(:'a') as alone \gset
select is(sluice.reroutable(model_row(:'a'), at(0)), '{}', 'none while it is open');
update sluice.models set closed_until = at(1) where name = :'a';
select is(sluice.reroutable(model_row(:'a'), at(0)), '{}', 'nor for a moment');
update sluice.models set closed_until = at(100) where name = :'a';
select is(sluice.reroutable(model_row(:'a'), at(0)), array[:'r'], 'the one in which another model is open');
update sluice.models set paused = true where name = :'b';
select is(sluice.reroutable(model_row(:'a'), at(0)), '{}', 'until that one is closed, too');

select * from finish();
rollback;
