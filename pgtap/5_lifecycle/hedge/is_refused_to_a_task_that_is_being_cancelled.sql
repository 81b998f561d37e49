begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_hedging(:'m') \g /dev/null
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1, at(1)) \gset
select sluice.cancel(:t, at(2)) \gset
select ok(not sluice.hedge(:w, :t, 1, at(3)), 'nobody wants its answer');

select * from finish();
rollback;
