begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
create function asked(p_model text, p_weight float8, p_now timestamptz, p_route text) returns float8
  language sql
as $$ select (sluice.route_meter(own_line(p_route), id_of(p_model), p_weight,
  sluice.meter_of(own_line(p_route), id_of(p_model)), false, p_now)).weight $$;
select sluice.note_meter(own_line(:'r'), 0, at(1), 0, 7),
  sluice.note_meter(own_line(:'r'), id_of(:'b'), at(1), 0, 2) \g /dev/null
select is(asked(:'a', 1, at(1.01), :'r'), 8::float8,
  'one that had not asked: 1,000 of them sum up nothing');
select is(asked(:'b', 3, at(1.02), :'r'), 8::float8, 'one that has another weight now');
select is(asked(:'b', 3, at(1.2), :'r'), 3::float8, 'until all is summed up anew');

select * from finish();
rollback;
