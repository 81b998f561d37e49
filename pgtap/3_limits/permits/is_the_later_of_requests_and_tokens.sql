begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(rpm => 20, tpm => 6000) as m \gset
select is(sluice.permit_at(model_row(:'m'), at(0)), at(0), 'at once while both have some');
select sluice.take_permits(quota_of(:'m'), 1, at(0)) \g /dev/null
select is(sluice.permit_at(model_row(:'m'), at(0)), at(3.0125), 'the next request');
select sluice.take_permits(sluice.token_quota(model_row(:'m')), 3000, at(0));
select cmp_ok(sluice.permit_at(model_row(:'m'), at(0)), '>', at(29),
  'the bucket of tokens is in debt for longer');
select is(sluice.permits_now(model_row(:'m'), at(5)), 0, 'until then no call can begin');
select is(sluice.next_permit_at(:'m', at(0)), sluice.permit_at(model_row(:'m'), at(0)),
  'the public function says the same');
select is(sluice.permit_at(model_row(given_model()), at(0)), null,
  'a model without quotas names no time');

select * from finish();
rollback;
