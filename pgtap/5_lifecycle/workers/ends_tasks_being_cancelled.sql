begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select given_task(:'m') as u \gset
select claimed(:w, 2) \g /dev/null
select sluice.cancel(:t, at(2)) \g /dev/null
select is(sluice.unregister_worker(:w, at(3)), 2, 'it had two');
select is(array[places(:t), places(:u)], array['cancelled', 'queue'], 'the cancelled one ends');
select is_empty('select from sluice.cancellation', 'no mark is left');

select * from finish();
rollback;
