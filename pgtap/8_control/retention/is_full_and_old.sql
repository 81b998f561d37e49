begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select last_value as before, is_called from sluice.task_id \gset
select given_model() as m \gset
select given_task(:'m') as t \gset
select is((sluice.oldest_range(at(10))).n, null, 'not while it gives out ids');
select setval('sluice.task_id', 1000000) \g /dev/null
select is((sluice.oldest_range(at(10))).n, 0, 'then the first');
select is((sluice.oldest_range(at(0))).n, null,
  'not while its last task is as young as the cutoff');
delete from sluice.id_range;
select is((sluice.oldest_range(at(10))).n, null, 'and none when there is none');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
