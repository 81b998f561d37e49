begin;
\set alone
\ir ../_helpers.sql
select plan(3);

insert into sluice.task (id, created_at, model, priority, tenant, prompt)
select n, at(0), 1, 0, 'default', 'x' from generate_series(-3, -1) n;
insert into sluice.result (task_id, created_at, finished_at, fence, attempts, status)
values (-1, at(0), at(10), 1, 1, 'solved'), (-2, at(0), at(20), 1, 1, 'solved');
select is(sluice.erase_from_attic(at(15)), 1, 'one');
select set_eq('select id from sluice.task where id < 0', array[-2, -3]::bigint[], 'the young and the unfinished stay');
select set_eq('select task_id from sluice.result where task_id < 0', array[-2]::bigint[], 'with what became of them');

select * from finish();
rollback;
