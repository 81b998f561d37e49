begin;
\ir ../../_helpers.sql
select plan(1);

select results_eq(
  $$select n, sluice.pressure(n, 100) from unnest(array[0, 69, 70, 84, 85, 94, 95, 1000]) n$$,
  $$values (0, 'normal'), (69, 'normal'), (70, 'warning'), (84, 'warning'), (85, 'critical'),
    (94, 'critical'), (95, 'overflow'), (1000, 'overflow')$$, 'by the share of max_unfinished');

select * from finish();
rollback;
