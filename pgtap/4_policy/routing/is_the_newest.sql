begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is((sluice.meter_of(own_line(:'r'), 1)).v, null, 'none yet');
select sluice.note_meter(own_line(:'r'), 1, at(0), 5, 1),
  sluice.note_meter(own_line(:'r'), 1, at(0), 3, 1) \g /dev/null
select is((sluice.meter_of(own_line(:'r'), 1)).v, 3::float8, 'the last one');

select * from finish();
rollback;
