-- sluice.reroute_over, sluice.fallback_of
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(10);

select given_priced_model() as dear, given_priced_model() as cheap, given_priced_model() as spare
\gset
select given_route(:'dear', :'spare') as r \gset
update sluice.routes set tier = 2 where route = :'r' and model = :'spare';
select given_worker(array[:'dear', :'cheap', :'spare']) as w \gset
select given_budget('model', :'dear', 1000) as b \gset
insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'b')).id, at(0), 950);
insert into sluice.fallbacks values (:'dear', 'over_budget', :'cheap');

select given_calls(:'dear', 2) as ids \gset
select is(claimed(:w, 5), '{}', 'nothing fits');
select is(sluice.wake(at(2)), 2, 'but both go to the fallback at once,');
select is(array(select c.model from sluice.claim(:w, null, 5, at(2)) c),
  array[:'cheap', :'cheap'], 'which calls them');
select results_eq(format($$select model, fallback_to, error_code,
    error like '%%no room for it today%%', started_at from sluice.attempts(%s)$$,
    (:'ids'::bigint[])[1]),
  format($$values (%L::text, %L::text, 'over_budget'::text, true, null::timestamptz)$$,
    :'dear', :'cheap'), 'it is noted which budget');
select is((select count(*) from sluice.budget_wait), 0::bigint, 'nothing waits for it');

delete from sluice.fallbacks;
select given_calls(:'r', 1) as routed \gset
select claimed(:w, 5, at(3)), sluice.wake(at(3.1)) \g /dev/null
select is((select model from sluice.claim(:w, null, 5, at(3.2))), :'spare',
  'a route''s task goes to the route''s other model, if the budget is its first model''s');
update sluice.budgets set scope = 'system', subject = null where name = :'b';
select given_calls(:'r', 1) as all_over \gset
select claimed(:w, 5, at(4)) \g /dev/null
select matches(sluice.explain((:'all_over'::bigint[])[1], at(4)), 'system: no room for it today',
  'not if it is everybody''s: it waits');

-- calls under way may cost less
update sluice.budgets set limit_nanos = 1100, scope = 'model', subject = :'dear'
where name = :'b';
insert into sluice.fallbacks values (:'dear', 'over_budget', :'cheap');
select given_calls(:'dear', 2) as two \gset
select is(cardinality(claimed(:w, 1, at(5))), 1, 'one fits');
select is(claimed(:w, 1, at(5.1)), '{}', 'the other one does not for now,');
select matches(sluice.explain((:'two'::bigint[])[2], at(5.1)), 'calls under way', 'and waits');

select * from finish();
rollback;
