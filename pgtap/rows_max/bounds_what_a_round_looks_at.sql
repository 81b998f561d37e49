begin;
\ir ../_helpers.sql
select plan(4);

select is(sluice.rows_max(100, 1), 100, 'one tenant: as many as there are places');
select is(sluice.rows_max(1, 1), 32, 'enough for deadlines to order');
select is(sluice.rows_max(100, 0.001), 9, 'one of a thousand: a few');
select ok(sluice.rows_max(1000, 0.001) * 1000 < 20000, 'all of them together');

select * from finish();
rollback;
