begin;
\ir ../_helpers.sql
select plan(1);

select lives_ok('select sluice.warm_up()', 'who calls it is not refused');

select * from finish();
rollback;
