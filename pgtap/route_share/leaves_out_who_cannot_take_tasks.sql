begin;
\ir ../_helpers.sql
select plan(8);

select given_model() as a \gset
select given_model() as b \gset
select given_model() as c \gset
select given_route(:'a', :'b', :'c') as r \gset
update sluice.routes set weight = 3 where route = :'r' and model = :'c';
create function ids(p_route text, p_api text default null, p_without int[] default null, p_only int[] default null)
returns int[] language sql as $$ select (sluice.route_share(p_route, p_api, p_without, p_only, at(0))).ids $$;
select is((sluice.route_share(:'r', null, null, null, at(0))).upto, array[1, 2, 5]::float8[], 'as wide as their weights');
select is(ids(:'r', p_without => array[id_of(:'a')]), array[id_of(:'b'), id_of(:'c')], 'without some');
select is(ids(:'r', p_only => array[id_of(:'a')]), array[id_of(:'a')], 'or only some');
update sluice.models set api = 'openai-chat' where name = :'b';
select is(ids(:'r', 'openai-chat'), array[id_of(:'b')], 'of one api');
update sluice.models set paused = true where name = :'a';
update sluice.models set closed_until = at(1) where name = :'b';
select is(ids(:'r'), array[id_of(:'c')], 'paused and closed ones have no share');
select sluice.move_breaker(id_of(:'c'), 'closed', 'open', 'down', at(0)) \g /dev/null
select is(ids(:'r'), null, 'nor has one whose breaker is open');
select sluice.move_breaker(id_of(:'c'), 'open', 'half_open', 'probe', at(0)),
  sluice.move_breaker(id_of(:'c'), 'half_open', 'closed', 'well', at(0)) \g /dev/null
select is(ids(:'r'), array[id_of(:'c')], 'it returns with it');
update sluice.routes set weight = 0 where route = :'r' and model = :'c';
select is(ids(:'r'), null, 'nor has weight 0');

select * from finish();
rollback;
