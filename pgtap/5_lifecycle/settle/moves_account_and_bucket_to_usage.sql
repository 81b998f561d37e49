begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(tpm => 60000) as m \gset
select given_tenant(tpm => 60000) as t \gset
select -id as account from sluice.tenants where name = :'t' \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', tenant => :'t', max_output_tokens => 1000) as t1 \gset
select claimed(:w, 1) \g /dev/null
select array[row(1, l)::sluice.ended_call] as ended from sluice.lease l where worker = :w \gset
select sluice.permits_now(sluice.token_quota(model_row(:'m')), at(1)) as before \gset
select sluice.settle_reserved(array[told(:t1, 'solved', input_tokens => 10, output_tokens => 30)],
  :'ended', at(1)) \g /dev/null
select is(sluice.tokens_spent(id_of(:'m'), at(1)), 40::bigint, 'the model''s account');
select is(sluice.tokens_spent(:account, at(1)), 40::bigint, 'the tenant''s');
select ok(sluice.permits_now(sluice.token_quota(model_row(:'m')), at(1)) > :before, 'the bucket');
select ok(shares_opening_lock(:'m'), 'who sleeps for a permit hears of it');

select * from finish();
rollback;
