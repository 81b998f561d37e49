-- sluice.submit_many
begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select last_value as before, is_called from sluice.task_id \gset
select given_model() as m \gset
select sluice.make_range(3, 3000000, 3000005) \g /dev/null
select setval('sluice.task_id', 2999990) \g /dev/null
select is(cardinality(given_tasks(:'m', 200)), 200, 'over a narrow range');
select is((select count(distinct tableoid) from sluice.task where model = id_of(:'m')), 3::bigint,
  'one of which it made');
select setval('sluice.task_id', 3000000000) \g /dev/null
create or replace function sluice.id_ranges_max()
returns int language sql immutable as $$ select 0 $$;
select is((error_of(format('select given_tasks(%L, 300)', :'m'))).code, 'SL003',
  'where none can be made it is SL003');
select is((select count(*) from sluice.task where model = id_of(:'m')), 200::bigint,
  'and none is accepted');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
