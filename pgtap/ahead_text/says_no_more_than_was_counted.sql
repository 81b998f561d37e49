begin;
\ir ../_helpers.sql
select plan(3);

select is(sluice.ahead_text(311), '311 ahead', 'a number');
select is(sluice.ahead_text(10000), '10000 ahead', 'up to the bound');
select is(sluice.ahead_text(10001), 'more than 10,000 ahead', 'and beyond');

select * from finish();
rollback;
