-- sluice.take_permits
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select results_eq(format('select * from grant_permits(quota_of(%L), 100000, at(0))', :'m'),
  $$values (100000, null::timestamptz)$$, 'all are granted, and no time is named');
select is(sluice.permits_now(model_row(:'m'), at(0)), null, 'no number is shown');

select * from finish();
rollback;
