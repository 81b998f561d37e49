begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select sluice.set_counter('room', id_of(:'m'), 1000);
select given_tasks(:'m', 3) \g /dev/null
select sluice.pause(:'m');
select is(sluice.admit(:'m', null, at(1)), 0, 'paused');
select sluice.resume(:'m');
select sluice.close_model(:'m', at(10));
select is(sluice.admit(:'m', null, at(9)), 0, 'closed');
select is(sluice.counter('room', id_of(:'m')), 1000::bigint, 'submits wait behind them');
select is(sluice.admit(:'m', null, at(10)), 3, 'open again');
select is(sluice.admit('nobody'), 0, 'an unknown model has nothing to admit');

select * from finish();
rollback;
