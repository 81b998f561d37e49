begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1, at(1)) \gset
select ok(not sluice.hedge(:w, :t, 1, at(2)), 'a model without hedge_after');
select given_hedging(:'m') \g /dev/null
update sluice.models set paused = true where name = :'m';
select ok(not sluice.hedge(:w, :t, 1, at(2)), 'paused');
update sluice.models set paused = false, closed_until = at(9) where name = :'m';
select ok(not sluice.hedge(:w, :t, 1, at(2)), 'closed');
update sluice.models set closed_until = null where name = :'m';
update sluice.breaker set state = 'half_open', since = at(1) where model = id_of(:'m');
select ok(not sluice.hedge(:w, :t, 1, at(2)), 'its breaker is half open');
update sluice.breaker set state = 'open', since = at(-999) where model = id_of(:'m');
select ok(not sluice.hedge(:w, :t, 1, at(2)), 'open, though its time has come');
update sluice.breaker set state = 'closed' where model = id_of(:'m');
select ok(sluice.hedge(:w, :t, 1, at(2)), 'well again');

select * from finish();
rollback;
