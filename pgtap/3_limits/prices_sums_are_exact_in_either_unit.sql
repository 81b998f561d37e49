-- sluice.in_units, sluice.in_nanos
begin;
\ir ../_helpers.sql
select plan(4);

select is(sluice.in_units(1000000000000000001), 1000000000.000000001, 'a large sum');
select is(sluice.in_nanos(1000000000.000000001), 1000000000000000001::numeric, 'and back');
select is(sluice.in_units(2500000000)::text, '2.5', 'without zeros behind');
select is(sluice.in_units(null), null, 'what is not known stays so');

select * from finish();
rollback;
