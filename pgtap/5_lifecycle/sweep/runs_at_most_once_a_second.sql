begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_task(:'m') as t \gset
select sluice.sweep(at(0)) \g /dev/null
select given_mark(:'m', at(10));
select is(sluice.sweep(at(0.999)), 0, 'not again before a second has passed');
select is(sluice.sweep(at(600)), 1, 'but then');
select given_mark(:'m', at(10));
select is(sluice.sweep(at(-86400)), 1, 'a clock set back by a day does not stop it for a day');

select * from finish();
rollback;
