-- sluice.write_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_batch(:'m', 5) as b \gset
select advanced(:b, 'run') \g /dev/null
select given_end((tasks_of_batch(:b))[n],
  p_response => to_json(repeat('x', sluice.batch_page_bytes() / s))::text)
from (values (1, 4), (2, 2), (3, 1), (4, 4), (5, 4)) r(n, s) \g /dev/null
select advanced(:b, 'write', at(2)) \g /dev/null
create function written(p_batch bigint) returns int language plpgsql
as $$
begin
  perform sluice.advance_batch(batch_row(p_batch), at(2));
  return (batch_row(p_batch)).position;
end
$$;
select is(written(:b), 2, 'what fits');
select is(written(:b), 3, 'one that does not fit, alone');
select is(written(:b), 5, 'and the rest');
select advanced(:b, 'done', at(2)) \g /dev/null
select is(array(select custom_id from lines_of(:b)), array['c1', 'c2', 'c3', 'c4', 'c5'],
  'all of them');

select * from finish();
rollback;
