begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select batch_over(given_file(array[lines_of_batch(:'m', 2, 'a'), E'\n\n',
  lines_of_batch(:'m', 1, 'b')])) as b \gset
select advanced(:b, 'submit') \g /dev/null
create function after_a_step(p_batch bigint) returns text language plpgsql
as $$
begin
  perform sluice.submit_batch(batch_row(p_batch), at(1));
  return (batch_row(p_batch)).position || ' ' || cardinality(tasks_of_batch(p_batch));
end
$$;
select is(array[after_a_step(:b), after_a_step(:b), after_a_step(:b)], array['1 2', '2 2', '3 3'],
  'a step for each, also for blank lines');
select sluice.submit_batch(jsonb_populate_record(batch_row(:b), '{"position": 0}'),
  at(1)) \g /dev/null
select is((batch_row(:b)).position, 1, 'one made again goes no further than it has looked');
select is(advanced(:b, 'run'), 'run', 'then all of them are under way');

select * from finish();
rollback;
