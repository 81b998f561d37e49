-- sluice.add_plain_text
begin;
\ir ../../_helpers.sql
select plan(4);

-- the first one notes the line as ready; the second one finds the note, and has less to do
select given_model() as m \gset
select sluice.tick() \g /dev/null
select sluice.submit('x', :'m', 3, batch_id => 5) as first \gset
select sluice.submit('x', :'m', 3, batch_id => 5) as second \gset
select is(to_jsonb(a) - '{id,created_at}'::text[], to_jsonb(b) - '{id,created_at}'::text[],
  'the task') from sluice.task a, sluice.task b where a.id = :first and b.id = :second;
select is(to_jsonb(a) - '{task_id,ready_at}'::text[], to_jsonb(b) - '{task_id,ready_at}'::text[],
  'its place in the queue') from sluice.queue a, sluice.queue b
where a.task_id = :first and b.task_id = :second;
select is((select count(*) from sluice.task t join sluice.queue q on q.task_id = t.id
  and q.ready_at = t.created_at where t.id in (:first, :second)), 2::bigint, 'ready at once');

-- a bound of the line is heeded by the procedure that knows it
update sluice.models set max_queue = 2 where name = :'m';
select is((error_of('select ' || repeat(format('given_task(%L), ', :'m'), 40) || '1')).code,
  'SL003', 'with a bound');

select * from finish();
rollback;
