begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

create temporary table before as select * from sluice.fleet_gauges();
select sluice.count_results('failed', 3), sluice.count_results('solved', 0),
  sluice.count_results('expired', null) \g /dev/null
select is((select a.failed - b.failed from sluice.fleet_gauges() a, before b), 3::bigint,
  'each counts');
select results_eq('select solved, expired from sluice.fleet_gauges()',
  'select solved, expired from before', 'none is none');

select * from finish();
rollback;
