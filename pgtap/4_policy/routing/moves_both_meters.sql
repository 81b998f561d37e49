begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select sluice.note_meter(own_line(:'r'), id_of(:'a'), at(0.5), 10, 1),
  sluice.note_meter(own_line(:'r'), 0, at(1), 10, 2) \g /dev/null
create function routed(p_route text, p_model text, p_taken int, p_is_limited boolean) returns void
  language sql
as $$
  select sluice.note_routed(model_row(p_model),
    array[row(own_line(p_route), null, null, null, null)::sluice.claim_share], p_taken,
    p_is_limited,
    array_fill(row(1, 1, at(0), at(0), null, 0, 1, 1, 1, 0, 0, 'default', 1,
      own_line(p_route))::sluice.lease, array[p_taken]), at(1))
$$;
select routed(:'r', :'a', 6, false) \g /dev/null
select is((sluice.meter_of(own_line(:'r'), id_of(:'a'))).v, 16::float8, 'its own by its weight');
select is((sluice.meter_of(own_line(:'r'), 0)).v, 13::float8, 'the route''s by that of all');
select routed(:'r', :'a', 2, true) \g /dev/null
select is((sluice.meter_of(own_line(:'r'), id_of(:'a'))).weight, 0::float8,
  'who is at its limit does not count any more');
select is((sluice.meter_of(own_line(:'r'), 0)).weight, 1::float8, 'in the sum, either');

select * from finish();
rollback;
