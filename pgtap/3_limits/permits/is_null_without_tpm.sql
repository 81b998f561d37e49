begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.token_quota(model_row(given_model(rpm => 5))), null, 'requests alone');
select is((sluice.token_quota(model_row(given_model(tpm => 6000)))).burst, 61,
  'else the burst is 1 + tpm / 100');

select * from finish();
rollback;
