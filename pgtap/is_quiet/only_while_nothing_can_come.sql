begin;
\set alone
\ir ../_helpers.sql
select plan(4);

select given_model() as m, given_worker() as w \gset
delete from sluice.rung;
select ok(sluice.is_quiet(), 'nothing is there');
select given_task(:'m') as t \gset
select ok(not sluice.is_quiet(), 'a model may have work');
select claimed(:w, 1) \g /dev/null
delete from sluice.rung;
select ok(not sluice.is_quiet(), 'a call is under way');
select completed(:w, told(:t, 'solved')) \g /dev/null
delete from sluice.rung;
select ok(sluice.is_quiet(), 'it has ended');

select * from finish();
rollback;
