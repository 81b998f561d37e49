-- sluice.after_route_prefers, sluice.set_prefer
begin;
\ir ../_helpers.sql
select plan(10);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_route(:'a', :'b') as r \gset
create function prefers(p_route text) returns text language sql
as $$ select string_agg(distinct prefer, ' ') from sluice.routes where route = p_route $$;
create function compared() returns text[] language sql
as $$ select coalesce(array_agg(name order by id), '{}') from sluice.models
  where is_compared and name like format('model-%s-%%', pg_backend_pid()) $$;
select is(prefers(:'r'), 'weight', 'weights decide');
select is(compared(), '{}', 'and nobody is compared');
update sluice.routes set prefer = 'latency' where route = :'r' and model = :'a';
select is(prefers(:'r'), 'latency', 'set in one row it is set in all');
insert into sluice.routes (route, model) values (:'r', :'c');
select is(prefers(:'r'), 'latency', 'another model goes by what the route goes by');
select is(compared(), array[:'a', :'b', :'c'], 'all of them are compared');
delete from sluice.routes where route = :'r' and model = :'b';
select is(compared(), array[:'a', :'c'], 'but one that has left');
select sluice.set_prefer(:'r', 'cost') \g /dev/null
select is(prefers(:'r'), 'cost', 'by the function');
select is((error_of(format('select sluice.set_prefer(%L, %L)', :'r', 'speed'))).code, '23514',
  'there are four');
select is((error_of('select sluice.set_prefer(''nobody'', ''cost'')')).code, 'SL006',
  'of a route that there is');
select sluice.set_prefer(:'r', 'weight') \g /dev/null
select is(compared(), '{}', 'and back');

select * from finish();
rollback;
