begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_model() as other \gset
select given_worker(array[:'m']) as w \gset
select ok(not sluice.unfinished(:w), 'nothing at first');
select given_task(:'other') \g /dev/null
select ok(not sluice.unfinished(:w), 'another model''s tasks do not count');
select given_task(:'r', run_at => at(10)) as t \gset
select ok(sluice.unfinished(:w), 'a task of its route waits for its time');
select sluice.wake(at(10)) \g /dev/null
select ok(sluice.unfinished(:w), 'it is queued');
select claimed(:w, 1, at(10)) \g /dev/null
select ok(sluice.unfinished(:w), 'it is being called');
select completed(:w, told(:t, 'solved', 2), at(11)) \g /dev/null
select ok(not sluice.unfinished(:w), 'it is solved');

select * from finish();
rollback;
