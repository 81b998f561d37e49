-- sluice.over_text, sluice.held_text
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(2);

select given_priced_model() as m \gset
select given_worker() as w \gset
select given_budget('model', :'m', 1000) as b \gset
insert into sluice.budget_spent (budget, at, nanos) values ((budget_row(:'b')).id, at(0), 850);
select given_calls(:'m', 2) as calls \gset
select claimed(:w, 5, at(1)) as called \gset
select task_id as waits from sluice.later where task_id = any (:'calls'::bigint[]) \gset
select completed(:w, told((:'called'::bigint[])[1], 'solved', input_tokens => 94,
  output_tokens => 6), at(2)) \g /dev/null
select is(stands(:'b'), '950+0', 'no call is under way any more');
set local timezone = 'UTC';
select is(sluice.explain(:waits, at(2)), format('waits for %s: calls under way left no room for it '
  'in budget %s: model %1$s: no room for it today, opens 00:00 UTC', :'m', :'b'),
  'they were when it was to be called');

select * from finish();
rollback;
