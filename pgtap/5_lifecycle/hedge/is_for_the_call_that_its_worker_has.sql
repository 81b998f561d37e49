begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_hedging(:'m') \g /dev/null
update sluice.models set hedge_max = 1 where name = :'m';
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(:'m') as t \gset
select claimed(:w, 1, at(1)) \gset
select ok(not sluice.hedge(:other, :t, 1, at(2)), 'not for another worker');
select ok(not sluice.hedge(:w, :t, 0, at(2)), 'not for an older fence');
select ok(sluice.hedge(:w, :t, 1, at(2)), 'hedge_max');
select ok(not sluice.hedge(:w, :t, 1, at(3)), 'and no more');
select completed(:w, told(:t, 'solved', answer => 'a'), at(4)) \gset
select ok(not sluice.hedge(:w, :t, 1, at(5)), 'not after its end');
select ok(not sluice.hedge(:w, null, null, at(5)), 'not for nothing');

select * from finish();
rollback;
