begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m', run_at => at(10)) as a, given_task(:'r', run_at => at(10)) as b \gset
select is(sluice.wake(at(9)), 0, 'not before');
select is(sluice.wake(at(10)), 2, 'at their time');
select given_task(:'m', run_at => '2200-01-01') as far \gset
select is(sluice.wake('infinity'), 0, 'no time is infinite');
select is(array[places(:a), places(:b)], '{queue,queue}', 'they are queued');

select * from finish();
rollback;
