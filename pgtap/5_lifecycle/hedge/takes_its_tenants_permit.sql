begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_hedging(:'m') \g /dev/null
select given_tenant(rpm => 60, tpm => null) as tenant \gset
select given_worker() as w \gset
select given_task(:'m', tenant => :'tenant') as t \gset
select claimed(:w, 1, at(100)) \gset
select ok(not sluice.hedge(:w, :t, 1, at(100)), 'the task itself took the only one');
select ok(sluice.hedge(:w, :t, 1, at(102)), 'the next one');

select * from finish();
rollback;
