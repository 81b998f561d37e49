begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(max_in_flight => 3) as m \gset
select given_hedging(:'m') \g /dev/null
select given_worker() as w \gset
select given_tasks(:'m', 4) as t \gset
select (:'t'::bigint[])[1] as first, (:'t'::bigint[])[2] as second \gset
select claimed(:w, 2, at(1)) \gset
select ok(sluice.hedge(:w, :first, 1, at(2)), 'the third call');
select ok(not sluice.hedge(:w, :second, 1, at(2)), 'a fourth is refused');
select is(claimed(:w, 9, at(2)), '{}', 'to a claim, too');
select forget_counter('claimed', :'m');
select is(sluice.in_flight(id_of(:'m')), 3::bigint,
  'counted anew after a crash, extra calls included');
select is(claimed(:w, 9, at(2)), '{}', 'which opens no door');
select completed(:w, told(:first, 'solved', answer => 'a'), at(3)) \gset
select is(cardinality(claimed(:w, 9, at(3))), 2, 'both its calls have ended with it');

select * from finish();
rollback;
