begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_task(:'m', run_at => at(60)) as later \gset
select given_task(:'m', run_at => at(0)) as now \gset
select is(places(:later), 'later', 'a time to come is waited for');
select is((select ready_at from sluice.backlog where task_id = :later), at(60), 'until then');
select is(places(:now), 'queue', 'a time that has come is not');
select is(sluice.counter('room', id_of(:'m')), 1::bigint, 'a task that waits for its time takes no room');

select * from finish();
rollback;
