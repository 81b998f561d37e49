begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_worker() as w \gset
delete from sluice.ready_line;
select ok(sluice.is_idle(), 'nothing is there');
select given_task(:'m') as t \gset
select ok(not sluice.is_idle(), 'a model may have work');
select claimed(:w, 1) \g /dev/null
delete from sluice.ready_line;
select ok(not sluice.is_idle(), 'a call is under way');
select completed(:w, told(:t, 'solved')) \g /dev/null
delete from sluice.ready_line;
select ok(sluice.is_idle(), 'it has ended');

select * from finish();
rollback;
