begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b, given_model(rpm => 1) as dry \gset
select given_route(:'a', :'b', :'dry') as r \gset
select is(sluice.route_weight(own_line(:'r'), id_of(:'a'), at(1)), 0::float8, 'nobody has asked');
select sluice.note_meter(own_line(:'r'), id_of(m), at(1), 0, 1)
from unnest(array[:'b', :'dry']) m \g /dev/null
select is(sluice.route_weight(own_line(:'r'), id_of(:'a'), at(1)), 2::float8, 'two have');
select sluice.take_permits(quota_of(:'dry'), 9, at(1)) \g /dev/null
select is(sluice.route_weight(own_line(:'r'), id_of(:'a'), at(1)), 1::float8, 'one has no permit');
select is(sluice.route_weight(own_line(:'r'), id_of(:'a'), at(2)), 0::float8,
  'after a second nobody asks');

select * from finish();
rollback;
