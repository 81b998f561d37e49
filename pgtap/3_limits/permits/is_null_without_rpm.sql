begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as free, given_model(rpm => 600) as m,
  given_model(rpm => 600, burst => 50) as b \gset
select is(sluice.request_quota(model_row(:'free'))::text, null, 'no quota');
select is((quota_of(:'m')).bucket || ' ' || (quota_of(:'m')).burst,
  format('bucket_%s 7', id_of(:'m')), 'its bucket, and the default burst');
select is((quota_of(:'b')).interval_ns, (sluice.quota_of('', null, 600, 50, null)).interval_ns,
  'at the pace that its burst leaves');
select is((quota_of(:'m')).account, null, 'requests are not booked');

select * from finish();
rollback;
