-- sluice.retention_bounds
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_retention.sql
select plan(4);

lock table sluice.task, sluice.result in access exclusive mode;
select last_value as before, is_called from sluice.task_id \gset
update sluice.settings set retention = '10 seconds';
select given_model() as m \gset
select given_tasks(:'m', 6) \g /dev/null
select setval('sluice.task_id', 1000000) \g /dev/null
select given_bounds(kept_tasks => 5) \g /dev/null
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(20))).dropped, 0, 'more tasks than may be kept');
select given_bounds(kept_tasks => 6, kept_bytes => 1000) \g /dev/null
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(20))).dropped, 0, 'more bytes');
select given_bounds(kept_tasks => 6, kept_bytes => 2000) \g /dev/null
update sluice.task set metadata = (select jsonb_agg(md5(n::text)) from generate_series(1, 50) n)
where id > :before and id < 1000000;
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(20))).dropped, 0, 'metadata counts');
update sluice.task set metadata = null where id > :before and id < 1000000;
select setval('sluice.retain_after', 0, false) \g /dev/null
select is((sluice.retain(at(20))).dropped, 1, 'no more than both: it goes');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
