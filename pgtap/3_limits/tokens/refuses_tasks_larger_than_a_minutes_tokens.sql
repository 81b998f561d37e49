-- sluice.check_fits
begin;
\ir ../../_helpers.sql
select plan(10);

select given_model(tpm => 1000) as small \gset
select given_model(tpm => 5000) as large \gset
select given_model() as free \gset
select given_route(:'small', :'large') as r \gset
select given_route(:'small', :'free') as any \gset
select given_tenant(tpm => 800) as t \gset
create function refused(p_model text, p_tokens int, p_tenant text default 'default') returns text
  language sql
as $$ select code
  from error_of(format('select given_task(%L, tenant => %L, max_output_tokens => %s)', p_model,
  p_tenant, p_tokens)) $$;
select is(refused(:'small', 900), null, 'what fits is taken');
select is(refused(:'small', 1000), 'SL002', 'a model''s tpm');
select is(refused(:'r', 1000), null, 'through a route: what fits one of its models');
select is(refused(:'r', 5000), 'SL002', 'but not what fits none');
select is(refused(:'any', 1000000), null, 'a model without tpm takes any');
select is(refused(:'free', 900, :'t'), 'SL002', 'the tenant''s tpm');
select is(refused(:'free', 700, :'t'), null, 'and what fits it');
select is(message,
  format('the task needs about 1010 tokens, and model "%s" may use 1000 a minute (tpm)', :'small'),
  'with the numbers')
from error_of(format('select given_task(%L, max_output_tokens => 1000)', :'small'));
select code, message from error_of(format($$select sluice.submit_many('[{"prompt": "a",
  "model": "%1$s", "max_output_tokens": 5},
  {"prompt": "b", "model": "%1$s", "max_output_tokens": 2000}]')$$, :'small')) \gset
select is(:'code', 'SL002'::text, 'submit_many too');
select matches(:'message'::text, '^task 2: ', 'with the element''s number');

select * from finish();
rollback;
