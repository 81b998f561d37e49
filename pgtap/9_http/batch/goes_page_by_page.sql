-- sluice.stop_batch
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_pages(3) \g /dev/null
select given_batch(:'m', 5) as b \gset
select advanced(:b, 'run') \g /dev/null
select sluice.cancel_batch(:b, null, false, at(2)) \g /dev/null
create function waiting(p_batch bigint) returns int language sql
as $$ select count(*)::int from sluice.task t where t.id = any (tasks_of_batch(p_batch))
  and places(t.id) in ('queue', 'backlog') $$;
select sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is(waiting(:b), 2, 'one page');
select is((batch_row(:b)).look_at, at(2), 'it goes on at once');
select sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is(waiting(:b), 0, 'and the next');
select is(advanced(:b, 'write', at(3)), 'write', 'then it has stopped');

select * from finish();
rollback;
