begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_model() as n \gset
select given_route(:'m') as r \gset
select given_route(:'m', :'n') as s \gset
select given_route(:'n') as t \gset
update sluice.routes set weight = 0 where route = :'s' and model = :'n';
select set_eq(format('select unnest(sluice.backlog_lines(%s))', id_of(:'m')),
  array['backlog_' || id_of(:'m'), 'route_' || :'r', 'route_' || :'s'], 'its own line and those of its routes');
select set_eq(format('select unnest(sluice.backlog_lines(%s))', id_of(:'n')),
  array['backlog_' || id_of(:'n'), 'route_' || :'t'], 'weight 0 takes a model out of its route');

select * from finish();
rollback;
