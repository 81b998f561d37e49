begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_task(:'m', priority => 7) as first \gset
select given_task(:'m') as second \gset
select given_task(:'m') as third \gset
select is(places(:first), 'queue', 'the first finds room');
select is(places(:second), 'queue', 'the second fills it');
select is(places(:third), 'backlog', 'the third waits in the backlog');
select results_eq(format('select rank::int, fence, attempts::int, request_bytes, ready_at from sluice.queue where task_id = %s', :first),
  format('select -7, 0, 0, 8, at(0)'), 'the queue''s row is ranked by minus the priority');
select is(prompt, 'question', 'the text is in sluice.task alone') from sluice.task where id = :first;

select * from finish();
rollback;
