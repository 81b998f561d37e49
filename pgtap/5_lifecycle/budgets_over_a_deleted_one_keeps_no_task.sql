-- sluice.put_over, sluice.wait_over
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(4);

select given_priced_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_budget('system', null, 1000) as b \gset
select given_calls(:'m', 2) as ids \gset
-- As a claim does that has looked at two budgets, of which one is deleted now.
select sluice.take_out(m, array[
    row((:'ids'::bigint[])[1], m.id, (budget_row(:'b')).id + 1, 'spent', 200),
    row((:'ids'::bigint[])[2], m.id, (budget_row(:'b')).id, 'spent', 200)]::sluice.over_budget[],
  at(1))
from sluice.models m where m.name = :'m' \g /dev/null
select is((select ready_at from sluice.later where task_id = (:'ids'::bigint[])[2]),
  timestamptz '2040-01-02 00:00Z', 'one waits for its budget');
select ok((select ready_at between at(2) and at(4) from sluice.later
  where task_id = (:'ids'::bigint[])[1]), 'the other waits a moment, for its budget is gone');
select is(sluice.wake(at(5)), 1, 'then it is ready');
select is(claimed(:w, 5, at(6)), (:'ids'::bigint[])[:1], 'and called');

select * from finish();
rollback;
