begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

lock table sluice.task, sluice.result in access exclusive mode;
select last_value as before, is_called from sluice.task_id \gset
select setval('sluice.retain_after', 0, false) \g /dev/null
update sluice.settings set retention = '10 seconds';
select given_model() as m \gset
select given_task(:'m') as unfinished \gset
select is((sluice.begin_retention(at(20))).n, null, 'a range that still gives out ids stays');
select setval('sluice.task_id', 1000000) \g /dev/null
select is((sluice.begin_retention(at(20.5))).n, null, 'not again within a second');
update pg_class set reltuples = 100 where oid = 'sluice.result_0'::regclass;
select is((sluice.begin_retention(at(2000), 99)).n, null,
  'nor one with more tasks than the caller wants to wait for');
select n, retained from sluice.begin_retention(at(3000)) \gset
select is(:n, 0, 'then the first range');
select is(:'retained', array[:unfinished]::bigint[]::text, 'but for what is unfinished');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
