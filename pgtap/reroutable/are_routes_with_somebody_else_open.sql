begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_route(:'a') as alone \gset
create function reroutable(p_model text) returns text[] language sql
as $$ select array(select route || ' ' || api from sluice.reroutable(model_row(p_model), at(0)) order by 1) $$;
select is(reroutable(:'a'), '{}', 'none while it is open');
update sluice.models set closed_until = at(1) where name = :'a';
select is(reroutable(:'a'), '{}', 'nor for a moment');
update sluice.models set closed_until = at(100) where name = :'a';
select is(reroutable(:'a'), array[:'r' || ' solve'], 'the one in which another model is open, and what that speaks');
update sluice.models set api = 'openai-chat' where name = :'b';
select is(reroutable(:'a'), array[:'r' || ' openai-chat'], 'which may be another api');
update sluice.models set paused = true where name = :'b';
select is(reroutable(:'a'), '{}', 'until that one is closed, too');

select * from finish();
rollback;
