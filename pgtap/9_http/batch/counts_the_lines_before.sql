begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(1);

select given_file(array[E'a\n\nb\n', E'c\n', 'd']) as f \gset
select is(array(select sluice.part_begin(:f, n) from generate_series(0, 3) n), array[0, 3, 4, 5],
  'blank ones too');

select * from finish();
rollback;
