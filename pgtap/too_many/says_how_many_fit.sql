begin;
\ir ../_helpers.sql
select plan(2);

select is(sluice.too_many(60, 50), 'It takes 50 at most: submit fewer at a time.', 'they never fit');
select is(sluice.too_many(50, 50), null, 'they may');

select * from finish();
rollback;
