-- sluice.move_bucket
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 1000) as m \gset
select format('select sluice.move_bucket(sluice.token_quota(model_row(%L)), %%s, %L)', :'m', at(1))
  as moves \gset
select lives_ok(format(:'moves', 9223372036854775807), 'no number of units overflows');
select ok(sluice.permit_at(sluice.token_quota(model_row(:'m')), at(1)) between at(50) and at(62),
  'it takes a burst and a minute''s');
select lives_ok(format(:'moves', -9223372036854775807), 'nor do those put back');

select * from finish();
rollback;
