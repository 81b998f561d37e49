-- sluice.count_system
begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select nextval('sluice.task_id') from generate_series(1, 7) \g /dev/null
select setval('sluice.load_all', sluice.gauge_unknown()) \g /dev/null
select sluice.refresh_gate(true);
select is((select look_from from sluice.gate), 0::bigint,
  'nothing is counted: each submit takes the long way');
select sluice.count_system();
select is(sluice.gauge_usage('sluice.load_all', true), sluice.count_unfinished('system', null),
  'now it is');
select sluice.refresh_gate(true);
select ok((select look_from from sluice.gate) > pg_sequence_last_value('sluice.task_id'::regclass),
  'so the next submits look for nothing');
select setval('sluice.load_all', 7) \g /dev/null
select sluice.count_system();
select is(pg_sequence_last_value('sluice.load_all'::regclass), 7::bigint,
  'what is known is not counted again');

select * from finish();
rollback;
