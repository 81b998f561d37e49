-- sluice.believed_tokens
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(tpm => 60000) as m \gset
select given_tenant(tpm => 60000) as t \gset
select -id as account from sluice.tenants where name = :'t' \gset
select given_worker(array[:'m']) as w \gset
-- booked: what the tenant has booked for a call that is told to have had so many tokens.
create function booked(p_worker bigint, p_model text, p_tenant text, p_account int, p_cap int,
  p_input int, p_output int) returns bigint language plpgsql
as $$
declare
  v_task bigint := given_task(p_model, tenant => p_tenant, prompt => 'ten bytes.',
    max_output_tokens => p_cap);
begin
  delete from sluice.spent where account in (p_account, id_of(p_model));
  perform sluice.set_counter('tokens', id_of(p_model), 0);
  perform setval(format('sluice.tenant_tokens_%s', -p_account)::regclass, 0);
  perform sluice.claim(p_worker, array[p_model], 1, at(1));
  perform completed(p_worker, told(v_task, 'solved', input_tokens => p_input,
    output_tokens => p_output), at(2));
  return sluice.tokens_spent(p_account, at(1));
end
$$;
select is(booked(:w, :'m', :'t', :account, 90, 5, 2000), 2005::bigint, 'a little more is believed');
select is(booked(:w, :'m', :'t', :account, 90, 2147483647, 2147483647), 74 + 90::bigint,
  'a lie is what its bytes, their frame and its cap allow');
select is(booked(:w, :'m', :'t', :account, 90, null, 2147483647), 90::bigint,
  'nothing is made of what was not told');
select is(booked(:w, :'m', :'t', :account, 90, -2147483648, 2000), 2000::bigint,
  'nor of less than nothing');
select cmp_ok(booked(:w, :'m', :'t', :account, null, 5, 2147483647), '<=', 61000::bigint,
  'without a cap it is a minute''s tokens');
select cmp_ok(sluice.tokens_spent(id_of(:'m'), at(1)), '<=', 61000::bigint, 'of the model, too');

select * from finish();
rollback;
