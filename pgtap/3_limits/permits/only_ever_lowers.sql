begin;
\ir ../../_helpers.sql
select plan(9);

select given_model(rpm => 600, tpm => 60000) as m \gset
select id_of(:'m') as id \gset
select sluice.drain_bucket(:'m', 100, 100000, at(0));
select is(sluice.permits_now(quota_of(:'m'), at(0)), 7::bigint,
  'more left than we thought: nothing changes');
select is(sluice.tokens_spent(:id, at(0)), 0::bigint, 'in tokens neither');
select sluice.drain_bucket(:'m', -1, -1, at(0)),
  sluice.drain_bucket(:'m', null, null, at(0)) \g /dev/null
select is(sluice.permits_now(quota_of(:'m'), at(0)), 7::bigint, '-1 and nothing are no evidence');
select sluice.drain_bucket(:'m', 2, 1000, at(0));
select is(sluice.permits_now(quota_of(:'m'), at(0)), 2::bigint, 'fewer: the bucket follows');
select is(60000 - sluice.tokens_spent(:id, at(0)), 1000::bigint, 'in tokens too');
select sluice.drain_bucket(:'m', 2, 1000, at(0));
select is(sluice.permits_now(quota_of(:'m'), at(0)), 2::bigint, 'twice the same is once');
select sluice.drain_bucket(:'m', 0, 0, at(0));
select is(sluice.permits_now(model_row(:'m'), at(0)), 0, 'none left');
select lives_ok(format('select sluice.drain_bucket(%L, 0, 0, at(0))', given_model()),
  'a model without quotas has nothing to lower');
select throws_ok($$select sluice.drain_bucket('nobody', 1, 1)$$, 'SL001', null,
  'an unknown model is SL001');

select * from finish();
rollback;
