begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(rpm => 60, burst => 2) as m \gset
select given_hedging(:'m') \g /dev/null
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1, at(100)) \gset
select ok(sluice.hedge(:w, :t, 1, at(100)), 'the second permit of the burst');
select is(sluice.permits_now(model_row(:'m'), at(100)), 0, 'is taken');
select ok(not sluice.hedge(:w, :t, 1, at(100)), 'without a permit it is refused');
select ok(sluice.hedge(:w, :t, 1, at(103)), 'granted when there is one again');

select * from finish();
rollback;
