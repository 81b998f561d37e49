begin;
\ir ../_helpers.sql
select plan(2);

select is(sluice.how_full(95, 100, 1), '95 of 100 unfinished', 'for one');
select is(sluice.how_full(95, 100, 20), '95 of 100 unfinished, no room for 20 more', 'for many');

select * from finish();
rollback;
