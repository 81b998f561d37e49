begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_retention.sql
select plan(5);

select given_bounds(erased_tasks => 1000) \g /dev/null
select setval('sluice.retain_after', 0, false) \g /dev/null
update sluice.settings set retention = '10 seconds';
select given_model() as m \gset
-- Ids below every range belong to the retained partitions.
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
select -n, at(0), id_of(:'m'), 0, 'default', 'x' from generate_series(1, 1503) n;
insert into sluice.result (task_id, created_at, finished_at, fence, attempts, status)
select -n, at(0), at(case when n > 1502 then 15 else 5 end), 1, 1, 'solved'
from generate_series(1, 1503) n where n <> 1;
insert into sluice.attempt (task_id, ended_at, fence, kind) values (-1502, at(5), 1, 'retry'),
  (-1, at(5), 1, 'retry');
select is((sluice.retain(at(20))).erased, 1000, 'as many as one round may erase');
select is((sluice.retain(at(20))).erased, 0, 'and not twice within a second');
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(22))).erased, 501, 'then the rest');
select results_eq('select id from sluice.task_retained order by id', 'values (-1503::bigint), (-1)',
  'what is unfinished or young stays');
select is(array(select task_id from sluice.attempt where task_id in (-1, -1502)), array[-1::bigint],
  'with its attempts');

select * from finish();
rollback;
