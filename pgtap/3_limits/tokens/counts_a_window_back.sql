begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(tpm => 6000) as m \gset
select id_of(:'m') as id \gset
select sluice.take_permits(sluice.token_quota(model_row(:'m')), 100, at(0));
select sluice.take_permits(sluice.token_quota(model_row(:'m')), 50, at(10));
select is(sluice.tokens_spent(:id, at(10)), 150::bigint, 'both');
select is(sluice.tokens_spent(:id, at(60.2)), 150::bigint, 'for a minute and the allowance');
select is(sluice.tokens_spent(:id, at(60.25)), 50::bigint, 'then the first has left');
select is(sluice.tokens_spent(:id, at(70.25)), 0::bigint, 'and the second');

select * from finish();
rollback;
