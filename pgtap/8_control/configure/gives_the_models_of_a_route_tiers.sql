-- sluice.configure_route, sluice.is_place_in_route
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as a, given_model() as b \gset
select is(array(select sluice.is_place_in_route(v::jsonb) from unnest(array['1', '{}',
    '{"weight": 0}', '{"tier": 100}', '{"weight": 1, "tier": 2}', '"1"', '[]', 'null', '-1',
    '{"tier": 0}', '{"tier": 101}', '{"tier": 1.5}', '{"tier": "2"}', '{"weight": null}',
    '{"colour": 1}']) v), '{t,t,t,t,t,f,f,f,f,f,f,f,f,f,f}', 'what a place is');
select sluice.configure_route('r', jsonb_build_object(:'a', 0.3, :'b', jsonb_build_object(
  'weight', 2, 'tier', 2))) \g /dev/null
select results_eq($$select model, weight, tier from sluice.routes where route = 'r' order by tier$$,
  format($$values (%L, 0.3::real, 1), (%L, 2::real, 2)$$, :'a', :'b'), 'a tier');
select sluice.configure_route('r', jsonb_build_object(:'a', 1, :'b', 5)) \g /dev/null
select results_eq($$select model, weight, tier from sluice.routes where route = 'r' order by tier$$,
  format($$values (%L, 1::real, 1), (%L, 5::real, 2)$$, :'a', :'b'), 'a weight alone keeps it');
select sluice.configure_route('r', jsonb_build_object(:'a', 1, :'b', '{"tier": 1}'::jsonb))
\g /dev/null
select is((select tier from sluice.routes where route = 'r' and model = :'b'), 1, 'another one');
select throws_ok(format($$select sluice.configure_route('r', '{"%s": {"tier": 0}}')$$, :'a'),
  'SL004', null, 'none');
select throws_ok($$update sluice.routes set tier = 101 where route = 'r'$$, '23514', null,
  'nor in plain SQL');
select id as last from sluice.revision where kind = 'routes' order by id desc limit 1 \gset
select sluice.revert(:last) \g /dev/null
select is((select tier from sluice.routes where route = 'r' and model = :'b'), 2, 'it reverts');

select * from finish();
rollback;
