begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(rpm => 1200) as m \gset
select is(sluice.permits_now(model_row(:'m'), at(0)), 13,
  'a new model''s bucket is full: 1 + rpm / 100');
select sluice.take_permits(quota_of(:'m'), 5, at(0)) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(0)), 8, 'less what was taken');
select is((grant_permits(quota_of(:'m'), 100, at(0))).granted, 8,
  'it says exactly what would be granted');

select * from finish();
rollback;
