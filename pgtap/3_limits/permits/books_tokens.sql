begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(tpm => 60000) as m \gset
select sluice.take_permits(sluice.token_quota(model_row(:'m')), 5000, at(0)) \g /dev/null
select is(sluice.tokens_spent(id_of(:'m'), at(1)), 5000::bigint, 'on the account');
select ok(sluice.permits_now(sluice.token_quota(model_row(:'m')), at(1)) < 0,
  'and the bucket is in debt');

select * from finish();
rollback;
