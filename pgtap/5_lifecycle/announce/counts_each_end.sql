begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

create temporary table before as select * from sluice.fleet_gauges();
select sluice.note_ended(array[1, 2], 'cancelled'),
  sluice.note_ended(null, 'cancelled') \g /dev/null
select is((select a.cancelled - b.cancelled from sluice.fleet_gauges() a, before b), 2::bigint,
  'two were cancelled');
select lives_ok($$select sluice.note_ended('{}', 'expired')$$, 'none at all');

select * from finish();
rollback;
