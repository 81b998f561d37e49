-- sluice.now_for The attack: a worker's login ends a task at infinity, which retention never
-- forgets, and a model's meters never come back from.
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as one, given_task(:'m') as two \gset
select task_id as t1, fence as f1 from sluice.claim(:w, null, 1, at(1)) \gset
select task_id as t2, fence as f2 from sluice.claim(:w, null, 1, at(1)) \gset
set local role sluice_worker;
select * from sluice.complete(:w, array[(:t1, :f1, 'solved', 'a', null, null, null, null, null, 3,
    4, null)::sluice.outcome], 'infinity') \g /dev/null
select * from sluice.complete_with_usage(:w, array[(:t2, :f2, 'failed', null, null, 'e', null,
    null, null, 3, 4, null)::sluice.outcome], null, '-infinity') \g /dev/null
reset role;
select ok(finished_at between now() - interval '1 hour' and clock_timestamp(), 'it has ended now')
from sluice.result where task_id in (:t1, :t2);
select * from finish();
rollback;
