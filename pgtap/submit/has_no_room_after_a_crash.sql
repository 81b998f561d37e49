begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select forget_counter('room', :'m');
select given_task(:'m') as t \gset
select is(places(:t), 'backlog', 'nobody knows how full the queue is, so the task waits');
select is(sluice.admit(:'m', null, at(1)), 1, 'until admission has looked');
select is(places(given_task(:'m')), 'queue', 'then there is room again');

select * from finish();
rollback;
