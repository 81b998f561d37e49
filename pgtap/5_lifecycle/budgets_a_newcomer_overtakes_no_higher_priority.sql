-- sluice.waiting_rank
-- The attack: who went on submitting tasks of priority -100 had 53 of 97 calls, beside 100 tasks of
-- priority 0 that waited for the same budget.
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(8);

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000) as b, given_worker(array[:'m']) as w \gset
select given_calls(:'m', 12) as ids \gset
select is(cardinality(claimed(:w, 20)), 10, 'ten calls have room');
select completed(:w, told((:'ids'::bigint[])[1], 'failed', error => 'HTTP 400', billed => false),
  at(3)) \g /dev/null
select given_task(:'m', prompt => repeat('x', 30), max_output_tokens => 6, priority => -1,
  p_now => at(3)) as low \gset
select is(claimed(:w, 10, at(4)), '{}', 'a newcomer of a lower priority does not take it');
select matches(sluice.explain(:low, at(4)), 'a higher priority waits for budget', 'and says why');
select is(sluice.look_at_budgets(at(5)), 1, 'one that waits goes on');
select sluice.wake(at(5)) \g /dev/null
select is(claimed(:w, 10, at(6)), array[(:'ids'::bigint[])[11]], 'of the higher priority');

-- One that cannot go on now is no reason to wait.
update sluice.budget_wait set need = 950 where task_id = (:'ids'::bigint[])[12];
select completed(:w, told((:'ids'::bigint[])[2], 'failed', error => 'HTTP 400', billed => false),
  at(7)) \g /dev/null
select is(sluice.waiting_rank((budget_row(:'b')).id, 100, at(7)), 1, 'the other one waits');
select is(sluice.look_at_budgets(at(8)), 1, 'what fits goes on');
select sluice.wake(at(8)) \g /dev/null
select is(claimed(:w, 10, at(9)), array[:low]::bigint[], 'also of a lower priority');

select * from finish();
rollback;
