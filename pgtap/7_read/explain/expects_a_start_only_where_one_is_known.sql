begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model() as free, given_model(rpm => 600) as r,
  given_model(rpm => 600, tpm => 60000) as t \gset
select is(sluice.permit_text(model_row(:'free'), 5, at(0)), null, 'no quota, no text');
select is(sluice.permit_text(model_row(:'r'), 0, at(0)), 'permits now: 7 (rpm 600)', 'a permit');
select is(sluice.permit_text(model_row(:'r'), 106, at(1)),
  'permits now: 7 (rpm 600), expected start 00:00:11', 'a hundred permits later');
select sluice.take_permits(sluice.token_quota(model_row(:'t')), 5000, at(0)) \g /dev/null
select is(sluice.permit_text(model_row(:'t'), 106, at(1)),
  'next permit 00:00:04 (rpm 600, tpm 60000)',
  'tokens: when the debt is paid; how much those ahead take is not known');

select * from finish();
rollback;
