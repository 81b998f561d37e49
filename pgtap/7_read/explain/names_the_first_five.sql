begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.some_text('{a,b}'), 'a, b', 'all of a few');
select is(sluice.some_text('{a,b,c,d,e,f,g}'), 'a, b, c, d, e and 2 more', 'of many the first');
select is(sluice.some_text(null), null, 'of none nothing');

select * from finish();
rollback;
