begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tasks(:'m', 70) \g /dev/null
select given_worker() as w \gset
select cardinality(claimed(:w, 1)) \g /dev/null
select sluice.admit(:'m', 0, at(2)) \g /dev/null
select is(places(given_task(:'m', p_now => at(3))), 'backlog', 'there is room for one, but others wait for it');
select claimed(:w, 60) \g /dev/null
select sluice.admit(:'m', null, at(4)) \g /dev/null
select is(places(given_task(:'m', p_now => at(5))), 'queue', 'nothing waits any more: straight to the queue');

select * from finish();
rollback;
