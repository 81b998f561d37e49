begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select given_task(:'m') as u \gset
select claimed(:w, 2) \g /dev/null
select sluice.cancel(:t, at(3)), sluice.cancel(:u, at(3)) \g /dev/null
select is(completed(:w, told(:t, 'solved'), at(4)), true, 'an answer that was paid for');
select is(places(:t), 'solved', 'wins');
select completed(:w, told(:u, 'failed'), at(4)) \g /dev/null
select is(places(:u), 'failed', 'so does a failure for good');
select is_empty('select from sluice.cancellation', 'no mark is left');

select * from finish();
rollback;
