-- sluice.may_hedge, sluice.extra_fits
-- An extra call was held, and cost, by the price of its task's first call: a hard budget of 0.1 was
-- exceeded 25 times when the price rose meanwhile. One made meanwhile did not count it at all.
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(5);

select given_priced_model() as m, given_tenant() as t \gset
select given_budget('model', :'m', 100000) as b, given_worker(array[:'m']) as w,
  given_hedging(:'m') \gset
select given_calls(:'m', 1) as mine, given_calls(:'m', 2, :'t') as theirs \gset
select claimed(:w, 50) \g /dev/null
select given_budget('tenant', :'t', 100000) as late \gset
select is(hedged(:w, :'mine'::bigint[] || :'theirs', at(2)), :'mine',
  'no extra call that a hard budget would not count');
update sluice.budgets set is_hard = false where name = :'late';
select is(hedged(:w, (:'theirs'::bigint[])[:1], at(3)), (:'theirs'::bigint[])[:1],
  'one that only tells keeps none back');
insert into sluice.prices (model, valid_from, input, output) values (:'m', at(5), 2000000, 2000000);
select is(hedged(:w, (:'theirs'::bigint[])[2:], at(6)), '{}', 'none by another price');
select is(hedged(:w, (:'theirs'::bigint[])[2:], at(4)), (:'theirs'::bigint[])[2:],
  'which was not in force yet');
select given_calls(:'m', 1) as new \gset
select claimed(:w, 1, at(7)) \g /dev/null
select is(hedged(:w, :'new', at(8)), :'new', 'those of later calls begin');

select * from finish();
rollback;
