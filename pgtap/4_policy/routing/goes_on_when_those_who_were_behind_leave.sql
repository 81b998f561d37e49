-- sluice.free_route, sluice.asking_models
-- Where three models share a route and the worker of one dies while the others are ahead, these
-- stood still for good: what moves V is what they take.
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(13);

-- left_behind: how many tasks the other models of a route of these weights get in ten claims, after
-- the last one has been lost, with a pause between claims.
create function left_behind(p_start int, p_weights int[], p_pause numeric) returns int
language plpgsql
as $$
declare
  v_models text[] := array(select given_model() from unnest(p_weights));
  v_route text := given_route(variadic v_models);
  v_all bigint := given_worker(v_models, at(p_start));
  v_others bigint := given_worker(v_models[:cardinality(v_models) - 1], at(p_start));
begin
  update sluice.routes r set weight = p_weights[array_position(v_models, r.model)]
  where r.route = v_route;
  perform given_tasks(v_route, 4000, at(p_start));
  perform taken(v_all, at(p_start + n * 0.01), 40) from generate_series(0, 2) n;
  perform taken(v_others, at(p_start + n * 0.02)) from generate_series(2, 40) n;
  return (select sum(taken(v_others, at(p_start + 2.5 + n * p_pause)))
    from generate_series(1, 10) n);
end
$$;

select cmp_ok(left_behind(100 * n, weights, pause), '>=', 500, format('%s, claims %s s apart',
  weights, pause))
from (values (1, '{1,1,1}'::int[]), (3, '{3,1,1}'), (5, '{50,25,50}'), (7, '{1,1,98}'),
    (9, '{20,10,70}'), (11, '{1,1,1,97}')) w(n, weights),
  unnest('{0.2, 1.2}'::numeric[]) pause;

-- A model's own meter goes with it to another tier, whose V is another one.
select given_model() as a, given_model() as b, given_model() as c \gset
select given_route(:'a', :'b', :'c') as r, given_worker(array[:'a', :'b', :'c'], at(2000)) as w
\gset
update sluice.routes set tier = 2 where route = :'r' and model = :'c';
select given_tasks(:'r', 3000, at(2000)) \g /dev/null
select taken(:w, at(2000 + n * 0.05)) from generate_series(1, 10) n \g /dev/null
update sluice.routes set tier = 2 where route = :'r' and model = :'b';
select sluice.pause(:'a') \g /dev/null
select taken(:w, at(2010)) \g /dev/null
select cmp_ok((select sum(taken(:w, at(2010 + n * 0.2))) from generate_series(1, 10) n)::int, '>=',
  500, 'a model that comes to another tier stops nobody there');

select * from finish();
rollback;
