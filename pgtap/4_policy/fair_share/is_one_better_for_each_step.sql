begin;
\ir ../../_helpers.sql
select plan(1);

select results_eq($$select sluice.aged_rank(r::smallint, at(0), at(s), '10 s')::int
  from (values (0, 0), (0, 9.9), (0, 10), (100, 25),
    (100, 2000), (-99, 500), (5, -30)) v(r, s)$$,
  $$values (0), (0), (-1), (98), (-100), (-100), (5)$$, 'down to -100, never for a time to come');

select * from finish();
rollback;
