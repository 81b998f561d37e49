-- sluice.make_partitions
begin;
\set alone
\ir ../../_helpers.sql
select plan(12);

-- A sequence does not roll back: put back at the end.
select last_value as before, is_called from sluice.task_id \gset
select given_model() as m \gset
select sluice.refresh_gate(true) \g /dev/null
select is((select end_id from sluice.id_range where n = 0), 1000000::bigint,
  'the first range is a million ids');
select setval('sluice.task_id', 1999989) \g /dev/null
select given_task(:'m') as t \gset
select hasnt_table('sluice', 'task_3', 'a submit with a range ahead makes none');
select cardinality(given_tasks(:'m', 20)) as made \gset
select is(:made, 20, 'submit_many over the edge of two ranges');
select is((select count(*) from sluice.task_2), 11::bigint,
  'the tasks beyond the edge are in the next range');
select has_table('sluice', 'task_3', 'nothing was ahead of it: it has made a range of tasks');
select has_table('sluice', 'result_3', 'and one of results');
select ok(max(end_id) >= 2000009 + sluice.ids_ahead_min(), 'as far ahead as workers do')
from sluice.id_range;
select is(pg_get_userbyid(relowner), 'sluice_owner', 'sluice_owner owns the new ones') from pg_class
where relname = 'task_3';
select has_pk('sluice', 'result_3', 'with the key that makes one result true');

select setval('sluice.task_id', (select max(end_id) from sluice.id_range) - 100) \g /dev/null
select dropped from sluice.retain() \g /dev/null
select ok(max(end_id) >= (select last_value from sluice.task_id) + sluice.ids_ahead_min(),
  'a worker keeps them ahead')
from sluice.id_range;
select is(g.look_from, least(g.full_at, (select greatest(max(first_id),
  max(end_id) - sluice.ids_ahead_min() / 2) from sluice.id_range)),
  'and says from where on submits look') from sluice.gate g;
select setval('sluice.task_id', (select max(end_id) from sluice.id_range)
  - sluice.ids_ahead_min() / 2 - 1000), max(n) as n from sluice.id_range \gset
select given_task(:'m') as t \gset
select is(max(n), :n, 'a submit in the last one leaves that to workers while much is left')
from sluice.id_range;
select setval('sluice.task_id', :before, :'is_called'),
  setval('sluice.load_all', sluice.gauge_unknown()) \g /dev/null

select * from finish();
rollback;
