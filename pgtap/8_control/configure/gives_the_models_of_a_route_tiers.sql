-- sluice.configure_route, sluice.is_place_in_route
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as a, given_model() as b \gset
select given_route(:'a') as r \gset
select is(array(select sluice.is_place_in_route(v::jsonb) from unnest(array['1', '{}',
    '{"weight": 0}', '{"tier": 100}', '{"weight": 1, "tier": 2}', '"1"', '[]', 'null', '-1',
    '{"tier": 0}', '{"tier": 101}', '{"tier": 1.5}', '{"tier": "2"}', '{"weight": null}',
    '{"colour": 1}']) v), '{t,t,t,t,t,f,f,f,f,f,f,f,f,f,f}', 'what a place is');
-- places_of: the weights and tiers of a route's models.
create function places_of(p_route text) returns text language sql
as $$ select string_agg(format('%s in %s', weight, tier), ', ' order by tier)
  from sluice.routes where route = p_route $$;
select sluice.configure_route(:'r', jsonb_build_object(:'a', 0.3, :'b', jsonb_build_object(
  'weight', 2, 'tier', 2))) \g /dev/null
select is(places_of(:'r'), '0.3 in 1, 2 in 2', 'a tier');
select sluice.configure_route(:'r', jsonb_build_object(:'a', 1, :'b', 5)) \g /dev/null
select is(places_of(:'r'), '1 in 1, 5 in 2', 'a weight alone keeps it');
select sluice.configure_route(:'r', jsonb_build_object(:'a', 0, :'b', '{"tier": 1}'::jsonb))
\g /dev/null
select bag_eq(format('select weight, tier from sluice.routes where route = %L', :'r'),
  'values (0::real, 1), (1::real, 1)', 'another one');
select throws_ok(format($$select sluice.configure_route(%L, '{"%s": {"tier": 0}}')$$, :'r', :'a'),
  'SL004', null, 'none');
select throws_ok(format('update sluice.routes set tier = 101 where route = %L', :'r'), '23514',
  null, 'nor in plain SQL');
select id as last from sluice.revision
where kind = 'routes' and name = :'r' and after ->> 'model' = :'b' order by id desc limit 1 \gset
select sluice.revert(:last) \g /dev/null
select is((select tier from sluice.routes where route = :'r' and model = :'b'), 2, 'it reverts');

select * from finish();
rollback;
