-- sluice.ramp_gauges
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m, given_model() as n \gset
insert into sluice.routes (route, model, weight) values ('ramped', :'m', 1), ('ramped', :'n', 0);
select is_empty('select * from sluice.ramp_gauges()', 'there are none');
select sluice.start_ramp('ramped', :'n') \g /dev/null
select sluice.stop_ramp('ramped') \g /dev/null
select sluice.start_ramp('ramped', :'n') \g /dev/null
select bag_eq('select * from sluice.ramp_gauges()',
  $$values ('running', 1::bigint), ('stopped', 1)$$, 'each counts in its state');

select * from finish();
rollback;
