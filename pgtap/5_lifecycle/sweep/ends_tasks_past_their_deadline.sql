begin;
\set alone
\ir ../../_helpers.sql
select plan(1);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_task(:'m', deadline => at(5)) as t \gset
select sluice.sweep(at(6)) \g /dev/null
select is(places(:t), 'expired', 'without a tick');

select * from finish();
rollback;
