-- sluice.submit
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(5);

-- It would note the line once more for each task: it cannot know what is noted now.
select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m') as task, given_task(:'r') \gset
select count(*) from sluice.submit_many(jsonb_build_array(
  jsonb_build_object('prompt', 'p', 'model', :'m'))) \g /dev/null
select is((select count(*) from sluice.later), 3::bigint, 'each task waits for its commit');
select is_empty(format('select from sluice.ready_line where line in (%s, %s)', id_of(:'m'),
  own_line(:'r')), 'and no line is noted');
select is((select count(*) from sluice.tasks where status = 'unsolved'), 3::bigint,
  'so it is not queued yet');
select sluice.cancel(:task) \g /dev/null
select is(sluice.redrive(:task), :task::bigint, 'a redriven one');
select is((select count(*) from sluice.later), 3::bigint, 'waits, too');

select * from finish();
rollback;
