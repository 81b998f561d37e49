-- sluice.stop_batch
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker() as m \gset
select given_worker(array[:'m']) as w \gset
select given_pages(2) \g /dev/null
select given_batch(:'m', 5) as b \gset
select advanced(:b, 'run') \g /dev/null
select claimed(:w, 4) as ts \gset
select sluice.cancel_batch(:b, null, false, at(2)) \g /dev/null
create function stopped(p_batch bigint, p_now timestamptz) returns text language plpgsql
as $$
begin
  perform sluice.advance_batch(batch_row(p_batch), p_now);
  return (select phase || ' ' || position from sluice.batch where id = p_batch);
end
$$;
select is(array[stopped(:b, at(2)), stopped(:b, at(2))], array['stop 2', 'stop 4'],
  'four are running');
select is(stopped(:b, at(2)), 'stop 0', 'it begins anew, for they still are');
select is(places((tasks_of_batch(:b))[5]), 'cancelled', 'the last one has not been left');
select completed(:w, told((:'ts'::bigint[])[n], 'cancelled'), at(3))
from generate_series(1, 2) n \g /dev/null
select is(array[stopped(:b, at(3)), stopped(:b, at(3)), stopped(:b, at(4))],
  array['stop 4', 'stop 0', 'stop 4'],
  'a page without anybody is not the end while there was one before it');
select completed(:w, told((:'ts'::bigint[])[n], 'cancelled'), at(5))
from generate_series(3, 4) n \g /dev/null
select is(array[stopped(:b, at(5)), stopped(:b, at(5))], array['stop 0', 'write 0'],
  'a whole round is');

select * from finish();
rollback;
