begin;
\ir ../_helpers.sql
select plan(4);

select is(sluice.rows_max(100, 1, 1), 100, 'one lane: as many as there are places');
select is(sluice.rows_max(1, 1, 1), 32, 'enough for deadlines to order');
select cmp_ok(sluice.rows_max(250, 1 / 6.0, 6), '>', 200, 'of six each may give nearly all');
select cmp_ok(64 * sluice.rows_max(250, 1 / 64.0, 64), '<', 1000, 'of 64 a few each');

select * from finish();
rollback;
