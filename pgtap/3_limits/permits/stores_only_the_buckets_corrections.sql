begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(rpm => 600) as m \gset
select sluice.take_permits(quota_of(:'m'), 3, at(0)) \g /dev/null
select sluice.counter('bucket', id_of(:'m')) as before \gset
select sluice.mend_bucket(quota_of(:'m'), at(0));
select is(sluice.counter('bucket', id_of(:'m')), :before, 'a sound bucket stays');
select sluice.mend_bucket(quota_of(:'m'), at(60));
select is(sluice.counter('bucket', id_of(:'m')), :before, 'a full one too');
select forget_counter('bucket', :'m');
select sluice.mend_bucket(quota_of(:'m'), at(1));
select is(sluice.counter('bucket', id_of(:'m')),
  sluice.micros(at(1)) * 1000 + 7 * (quota_of(:'m')).interval_ns,
  'one that was never set is empty from now on');
select given_model() as free \gset
select forget_counter('bucket', :'free');
select sluice.mend_bucket(quota_of(:'free'), at(1));
select is(sluice.counter('bucket', id_of(:'free')), null,
  'a model without a quota has none to mend');

select * from finish();
rollback;
