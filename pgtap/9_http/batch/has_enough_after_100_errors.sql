-- sluice.validate_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
create function bad(p_count int) returns text language sql as $$ select repeat(E'{\n', p_count) $$;
select batch_over(given_file(array[bad(60), bad(60), bad(60)])) as b \gset
select advanced(:b, 'done') \g /dev/null
select is((batch_row(:b)).position, 2, 'it does not read on');
select is(jsonb_array_length((batch_row(:b)).errors), 100, 'and tells no more');
select is((batch_row(:b)).errors #>> '{99,line}', '100', 'the first ones');
select batch_over(given_file(array[bad(99), lines_of_batch(:'m', 1), bad(1)])) as c \gset
select advanced(:c, 'done') \g /dev/null
select is((batch_row(:c)).errors #>> '{99,line}', '101', 'with fewer it does');

select * from finish();
rollback;
