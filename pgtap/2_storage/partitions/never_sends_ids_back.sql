begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

update sluice.settings set retention = '1 minute';
select given_model() as m \gset
select given_task(:'m') \g /dev/null
savepoint before;
select sluice.close_range(at(2401)) \g /dev/null
select last_value as first, is_called from sluice.task_id \gset
select given_task(:'m', p_now => at(2401)) as t \gset
select is(array[:first, :t], array[1000000, 1000000], 'forward');
select given_tasks(:'m', 10) \g /dev/null
rollback to before;
select cmp_ok(given_task(:'m'), '<', 1000000::bigint, 'what is rolled back has not closed it');
-- The next range is not there (the transaction that was to make it was undone).
delete from sluice.id_range where n > 0;
select is(sluice.close_range(at(2401)), false, 'nor is it closed while there is no next one');

select * from finish();
rollback;
