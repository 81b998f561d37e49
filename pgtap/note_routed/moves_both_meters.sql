begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select sluice.note_meter(own_line(:'r'), id_of(:'a'), at(0), 10, 1), sluice.note_meter(own_line(:'r'), 0, at(0), 10, 2) \g /dev/null
select sluice.note_routed(own_line(:'r'), id_of(:'a'), 6, at(1)) \g /dev/null
select is((sluice.meter_of(own_line(:'r'), id_of(:'a'))).v, 16::float8, 'its own by its weight');
select is((sluice.meter_of(own_line(:'r'), 0)).v, 13::float8, 'the route''s by that of all');

select * from finish();
rollback;
