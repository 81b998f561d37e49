begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m') as t \gset
select is(sluice.try_cancel(:t, '{}', at(1)), null, 'found nowhere: look again');
select is(sluice.try_cancel(:t, array[id_of(:'m')], at(1)), 'cancelled', 'found in a queue: ended');
select is(sluice.try_cancel(:t, array[id_of(:'m')], at(1)), 'cancelled', 'found ended: its status');

select * from finish();
rollback;
