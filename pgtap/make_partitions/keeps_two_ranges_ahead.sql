begin;
\set alone
\ir ../_helpers.sql
select plan(11);

-- A sequence does not roll back: put back at the end.
select last_value as before, is_called from sluice.task_id \gset
select given_model() as m \gset
select is((select end_id from sluice.id_range where n = 0), 1000000::bigint, 'a range is a million ids');
select setval('sluice.task_id', 1049999) \g /dev/null
select hasnt_table('sluice', 'task_3', 'at first there are three ranges');
select given_task(:'m') as t \gset
select is(:t, 1050000, 'a submit with one range ahead');
select has_table('sluice', 'task_3', 'makes the range of tasks that is two ahead');
select has_table('sluice', 'result_3', 'and that of results');
select is(tableoid::regclass::text, 'sluice.task_1', 'the task is in its own range') from sluice.task where id = :t;
select is(pg_get_userbyid(relowner), 'sluice_owner', 'sluice_owner owns the new ones') from pg_class where relname = 'task_3';
select has_pk('sluice', 'result_3', 'with the key that makes one result true');

select setval('sluice.task_id', 2999990) \g /dev/null
select cardinality(given_tasks(:'m', 20)) as made \gset
select is(:made, 20, 'submit_many over the edge of two ranges');
select has_table('sluice', 'task_5', 'keeps two ahead as well');
select is((select count(*) from sluice.task_3), 11::bigint, 'and the tasks beyond the edge are in the next range');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
