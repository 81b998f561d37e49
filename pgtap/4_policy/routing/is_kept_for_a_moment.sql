begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
create function asked(p_anew boolean, p_now timestamptz, p_route text, p_model text) returns float8
  language sql
as $$ select (sluice.route_meter(own_line(p_route), id_of(p_model), 1,
  sluice.meter_of(own_line(p_route), id_of(p_model)), p_anew, p_now)).weight $$;
select sluice.note_meter(own_line(:'r'), id_of(:'a'), at(1), 0, 1),
  sluice.note_meter(own_line(:'r'), 0, at(1), 0, 7) \g /dev/null
select is(asked(false, at(1.05), :'r', :'a'), 7::float8, 'a tenth of a second');
select is(asked(true, at(1.05), :'r', :'a'), 1::float8, 'not if somebody would be held back');
create or replace function sluice.sum_cheap_ms()
returns int language sql immutable parallel safe as $$ select -100 $$;  -- each takes too long
select asked(true, at(2), :'r', :'a') \g /dev/null
select cmp_ok((sluice.meter_of(own_line(:'r'), 0)).at, '>=', at(7),
  'a sum that took long for 50 times as long more');

select * from finish();
rollback;
