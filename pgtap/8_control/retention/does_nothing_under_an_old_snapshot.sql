begin isolation level repeatable read;
\set alone
\ir ../../_helpers.sql
select plan(1);

lock table sluice.task, sluice.result in access exclusive mode;
select last_value as before, is_called from sluice.task_id \gset
update sluice.settings set retention = '10 seconds';
select setval('sluice.retain_after', 0, false) \g /dev/null
select setval('sluice.task_id', 1000000) \g /dev/null
-- It would not see the results that were stored since, and drop them.
select is((sluice.retain(at(20))).dropped, 0, 'in REPEATABLE READ it keeps everything');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
