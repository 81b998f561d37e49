begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
create function asks(p_route text, p_model text, p_now numeric) returns float8 language sql
as $$
  select (sluice.note_ask(own_line(p_route), id_of(p_model), 1,
      sluice.meter_of(own_line(p_route), id_of(p_model)), at(p_now))).weight
$$;
select is(asks(:'r', :'a', 1), 1::float8, 'who asks for the first time counts');
select is(asks(:'r', :'b', 1), 1::float8, 'so does another');
select is((sluice.meter_of(own_line(:'r'), 0)).weight, 2::float8, 'in the sum, too');
select sluice.note_meter(own_line(:'r'), id_of(:'a'), at(1), 0, 0) \g /dev/null
select is(asks(:'r', :'a', 1.5), 0::float8, 'who did not at its last claim does not');
select is((sluice.meter_of(own_line(:'r'), id_of(:'a'))).at, at(1.5), 'though it asked');
select is(asks(:'r', :'a', 2.5), 1::float8, 'for a second');

select * from finish();
rollback;
