begin;
\ir ../_helpers.sql
select plan(1);

select is(array[sluice.bell_of(65), sluice.bell_of(-65)], '{1,1}', 'of both kinds');

select * from finish();
rollback;
