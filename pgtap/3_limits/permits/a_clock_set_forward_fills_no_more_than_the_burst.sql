begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
select sluice.take_permits(quota_of(:'m'), 7, at(0)) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(86400)), 7,
  'a day forward is a full bucket, no more');

select * from finish();
rollback;
