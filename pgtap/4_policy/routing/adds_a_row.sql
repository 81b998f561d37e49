-- sluice.meter_for
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select sluice.note_meter(own_line(:'r'), 1, at(1), 5, 2, 7) \g /dev/null
select results_eq(format('select model, at, v, weight, tenant from sluice.meter where line = %s',
  own_line(:'r')), 'values (1, at(1), 5::float8, 2::float8, 7::bigint)', 'as it was told');
select is(sluice.meter_for('lanes'), -1, 'what stands for no model');
select is(sluice.meter_for('of nothing'), null, 'each purpose is listed');

select * from finish();
rollback;
