begin;
\ir ../../_helpers.sql
select plan(3);

create function own(p_v float8, p_weight float8) returns float8 language sql
as $$ select sluice.own_meter(row(-1, 1, 1, at(0), p_v, p_weight, null)::sluice.meter,
  row(-1, 0, 1, at(0), 100, 2, null)::sluice.meter, 1) $$;
select is(own(90, 1), 90::float8, 'a little behind');
select is(own(0, 1), 68::float8, 'who was away makes up for nothing');
select is(own(90, 5), 100::float8, 'after a change of weights side by side');

select * from finish();
rollback;
