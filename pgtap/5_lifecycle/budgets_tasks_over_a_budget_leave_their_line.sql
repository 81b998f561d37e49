-- sluice.over_wait, sluice.over_action, sluice.over_text, sluice.take_out, sluice.put_over,
-- sluice.wait_for_budget, sluice.refuse_over, sluice.reroute_over
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(18);

select given_priced_model() as m, given_priced_model() as cheap, given_model() as unpriced \gset
select given_worker(array[:'m', :'cheap', :'unpriced']) as w \gset
select given_tenant(rpm => 6000) as t \gset
select given_budget('tenant', :'t', 1000) as b \gset
insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'b')).id, at(0), 950);

select given_calls(:'m', 1, :'t') as parked, given_calls(:'m', 1) as other \gset
select is(claimed(:w, 5), :'other', 'another tenant''s task is called');
select is((select ready_at from sluice.later where task_id = (:'parked'::bigint[])[1]),
  timestamptz '2040-01-02 00:00Z', 'this one waits until the budget opens');
set local timezone = 'UTC';
select is(sluice.explain((:'parked'::bigint[])[1], at(2)), format('waits for %s: '
  'tenant %s: 0.00000095 of 0.000001 today, opens 00:00 UTC', :'m', :'t'), 'and says so');
select is((select exhausted_at from sluice.budget_rows(:'b', at(2))), at(1),
  'it is noted that the budget is exhausted');
update sluice.budgets set limit_nanos = 2000 where name = :'b';
update sluice.later set ready_at = at(3) where task_id = (:'parked'::bigint[])[1]
  and ready_at < at(0);
select is(sluice.wake(at(3)), 1, 'a raised limit lets it try again');
select is(claimed(:w, 5, at(4)), :'parked', 'and it is called');
delete from sluice.mark;  -- if that claim has made one, what comes as of at(0) would lie below it

update sluice.budgets set limit_nanos = 1049, at_limit = 'refuse' where name = :'b';
select given_calls(:'m', 1, :'t') as refused \gset
select is(claimed(:w, 5, at(5)), '{}', 'nothing more fits');
select is((select error_code from sluice.task((:'refused'::bigint[])[1])), 'over_budget',
  'a budget may refuse');
update sluice.budgets set scope = 'model', subject = :'m', at_limit = 'reroute',
  reroute_to = :'cheap' where name = :'b';
select given_calls(:'m', 1, :'t') as moved \gset
select claimed(:w, 5, at(6)) \g /dev/null
select is(sluice.wake(at(6.1)), 1, 'or give it to another model, at once,');
select is((select model from sluice.claim(:w, null, 5, at(9))), :'cheap', 'which takes it');
select given_calls(:'m', 1) as versioned \gset
update sluice.task set schema_version = '7' where id = any (:'versioned'::bigint[]);
select claimed(:w, 5, at(9)) \g /dev/null
select matches(sluice.explain((:'versioned'::bigint[])[1], at(9)), 'model .*: no room for it today',
  'not one whose version that does not know: it is parked, and says so');
delete from sluice.later where task_id = any (:'versioned'::bigint[]);

update sluice.budgets set scope = 'system', subject = null, at_limit = 'park', reroute_to = null,
  limit_nanos = 1000000 where name = :'b';
select given_task(:'unpriced', max_output_tokens => 1) as t1, given_task(:'m') as t2,
  given_task(:'m', max_output_tokens => 1000000) as t3,
  sluice.submit(null, :'m', request => '{"max_tokens": 5, "MAX_TOKENS": 9}', p_now => at(0))
    as t4 \gset
select claimed(:w, 5, at(9)) \g /dev/null
select is((select error from sluice.task(:t1)), format('model %s has no price, and budget %s '
  'counts what it costs', :'unpriced', :'b'), 'a model without a price is refused');
select matches((select error from sluice.task(:t2)), 'has no bound.*max_output_tokens',
  'an answer without a bound, too');
select matches((select error from sluice.task(:t4)), 'no bound because of "MAX_TOKENS" in its',
  'a request that a backend may read in another way, too');
select matches((select error from sluice.task(:t3)), 'may cost 0.00100007., .* of 0.001$',
  'and what never fits');

select given_hedging(:'m') \g /dev/null
update sluice.models set hedge_budget = 1 where name = :'m';
select given_calls(:'m', 1) as slow \gset
select claimed(:w, 5, at(10)) \g /dev/null
select is(sluice.hedge(:w, (:'slow'::bigint[])[1], 1, at(11)), true, 'an extra call');
select is((select sum(nanos) from sluice.budget_call where task_id = (:'slow'::bigint[])[1]),
  200::numeric, 'is held, too');
update sluice.budgets set limit_nanos = 1000 where name = :'b';
select is(sluice.hedge(:w, (:'slow'::bigint[])[1], 1, at(12)), false, 'if it fits');

select * from finish();
rollback;
