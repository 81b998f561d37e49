-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m', run_at => at(60)) as later \gset
select given_task(:'m', run_at => at(0)) as now \gset
select is(places(:later), 'later', 'a time to come is waited for');
select is((select ready_at from sluice.later where task_id = :later), at(60), 'until then');
select is(places(:now), 'queue', 'a time that has come is not');

select * from finish();
rollback;
