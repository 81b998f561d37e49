begin;
\ir ../_helpers.sql
select plan(4);

select given_model(max_queue => 60) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 110) \g /dev/null
select claimed(:w, 20) \g /dev/null
select is(sluice.admit(:'m', null, at(2)), 20, 'tasks remain in the backlog');
select is(sluice.counter('room', id_of(:'m')), 60::bigint, 'so new ones find no room');
select claimed(:w, 50) \g /dev/null
select is(sluice.admit(:'m', null, at(3)), 30, 'the backlog is empty');
select is(sluice.counter('room', id_of(:'m')), 40::bigint, 'so the room is what the depth leaves');

select * from finish();
rollback;
