-- sluice.look_at_budgets, sluice.wake_waiting
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(20);

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000) as b, given_worker(array[:'m']) as w \gset
select given_calls(:'m', 15) as ids \gset
-- waiting: which of these tasks wait until the budget opens, by their places.
create function waiting(p_ids bigint[]) returns int[] language sql
as $$
  select array(select array_position(p_ids, l.task_id) from sluice.later l
    where l.task_id = any (p_ids) and l.ready_at = '2040-01-02 00:00Z' order by 1)
$$;
select is(cardinality(claimed(:w, 20)), 10, 'ten calls are under way');
select is(waiting(:'ids'), '{11,12,13,14,15}', 'five tasks wait, not only for some seconds');
select is(sluice.look_at_budgets(at(3)), 0, 'nothing is left for them');
select completed(:w, told((:'ids'::bigint[])[1], 'solved', input_tokens => 10, output_tokens => 5),
  at(3)) \g /dev/null
select is(sluice.look_at_budgets(at(3)), 0, '85 are too little');
select completed(:w, told(i, 'failed', error => 'HTTP 400', billed => false), at(3))
from unnest((:'ids'::bigint[])[2:3]) i \g /dev/null
update sluice.budget_wait set rank = -100 where task_id = (:'ids'::bigint[])[13];
select is(sluice.look_at_budgets(at(4)), 2, '285 are enough for two of them');
select is(waiting(:'ids'), '{12,14,15}', 'those of a higher priority, then the oldest');
select is(sluice.look_at_budgets(at(5)), 0, 'they count until a claim has met them');
select is(sluice.wake(at(5)), 2, 'they come back');
select is(cardinality(claimed(:w, 20, at(6))), 2, 'and are called');
select is((select count(*)::int from sluice.budget_wait where task_id = any (:'ids'::bigint[])), 3,
  'then they wait no longer');
select completed(:w, told(i, 'failed', error => 'HTTP 400', billed => false), at(7))
from unnest((:'ids'::bigint[])[4:4]) i \g /dev/null
select sluice.cancel((:'ids'::bigint[])[12], at(7)) \g /dev/null
select is(sluice.look_at_budgets(at(8)), 1, 'one that was cancelled takes no room');
select is(waiting(:'ids'), '{15}', 'of another');
update sluice.budget_wait set need = 400 where task_id = (:'ids'::bigint[])[15];
select is(sluice.look_at_budgets(at(9)), 0, 'what does not fit stays');
select is(sluice.wake(timestamptz '2040-01-02 00:00Z'), 2, 'until the budget opens');

-- marks
select marks_hit as none from sluice.budget_rows(:'b', at(9)) \gset
update sluice.budgets set marks = '{1,50}' where name = :'b';
savepoint before;
select sluice.look_at_budgets(at(9)) \g /dev/null
rollback to before;
select sluice.look_at_budgets(at(s)) from generate_series(9, 11) s \g /dev/null
select results_eq(format('select event, per_cent, at from sluice.budget_events where budget = %L',
  :'b'), $$values ('mark', 1, at(9))$$, 'what is spent reaches marks, each told once');

-- a time that rolls
select given_budget('tenant', 'rolls', 1000, period => 'rolling', rolling => '1 hour') as rolling
\gset
insert into sluice.budget_spent (budget, at, nanos)
values ((budget_row(:'rolling')).id, at(0), 150), ((budget_row(:'rolling')).id, at(60), 800);
update sluice.budgets set limit_nanos = 1000000 where name = :'b';
select given_calls(:'m', 3, 'rolls') as rolled \gset
select claimed(:w, 20, at(100)) \g /dev/null
select is(array(select ready_at from sluice.later where task_id = any (:'rolled'::bigint[])
  order by ready_at), array[at(3600) + interval '1 microsecond', at(3700), at(3700)],
  'one of them is due when it opens, the others when all that counts has left');
select is((select exhausted_at from sluice.budget_rows(:'rolling', at(101))), at(100),
  'it is exhausted');
select is(sluice.wake(at(3601)), 1, 'the one comes, others stay');
select is(cardinality(claimed(:w, 20, at(3602))), 1, 'is called');
select is(sluice.look_at_budgets(at(3661)), 2, 'and when more has left, the others follow');

select * from finish();
rollback;
