begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as a \gset
select given_model() as b \gset
select sluice.configure_route('r', jsonb_build_object(:'a', 0.3, :'b', 0.7));
select bag_eq($$select model, weight from sluice.routes where route = 'r'$$,
  format($$values (%L, 0.3::real), (%L, 0.7::real)$$, :'a', :'b'), 'made');
select sluice.configure_route('r', jsonb_build_object(:'b', 1));
select bag_eq($$select model, weight from sluice.routes where route = 'r'$$,
  format($$values (%L, 1::real)$$, :'b'), 'replaced');
select throws_ok($$select sluice.configure_route('r', '{"nobody": 1}')$$, 'SL001',
  'there is no model "nobody"', 'no such model');
select throws_ok(format($$select sluice.configure_route('r', '{"%s": %s}')$$, :'a', w),
  'SL004', null, w)
from unnest(array['-1', '"much"', '1e39', 'null']) w;
select throws_ok($$select sluice.configure_route('r', '[]')$$, 'SL004', null, 'no object');
select sluice.configure_route('r', '{}');
select is_empty($$select from sluice.routes where route = 'r'$$, 'and emptied');

select * from finish();
rollback;
