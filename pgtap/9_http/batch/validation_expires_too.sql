begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select batch_over(given_file(array[line_of_batch('a', :'m'), line_of_batch('b', :'m')])) as b \gset
select sluice.advance_batch(batch_row(:b), at(1)) \g /dev/null
select is((batch_row(:b)).total, 1, 'it has seen a line');
select advanced(:b, 'done', at(86400)) \g /dev/null
select is(sluice.show_batch(:b, null, false) ->> 'status', 'expired', 'it expires');
select results_eq(format('select * from lines_of(%s)', :b), $$
  values ('a', 'batch_expired'), ('b', 'batch_expired')$$, 'with all its lines');

select * from finish();
rollback;
