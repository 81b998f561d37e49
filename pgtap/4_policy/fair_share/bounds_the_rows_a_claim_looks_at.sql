begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.rows_max(100, 1, 1), 100, 'one lane: as many as there are places');
select is(sluice.rows_max(1, 1, 1), 1, 'no more than that');
select cmp_ok(sluice.rows_max(250, 1 / 6.0, 6), '>', 50,
  'of six each may give a quarter more than its part');
select cmp_ok(64 * sluice.rows_max(250, 1 / 64.0, 64), '<', 1000, 'of 64 a few each');

select * from finish();
rollback;
