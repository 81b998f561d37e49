begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select results_eq(format('select route, id, api from sluice.target(%L, true)', :'a'),
  format('values (null::text, %s, null::text)', id_of(:'a')), 'a model, whatever it speaks');
select results_eq(format('select route, id, api from sluice.target(%L, true)', :'r'),
  format('values (%L, null::int, %L)', :'r', 'solve'), 'a route and what its models speak');
update sluice.models set api = 'openai-chat' where name = :'b';
select is((error_of(format('select sluice.target(%L, true)', :'r'))).code, 'SL001',
  'a request fits one api');
select is((error_of($$select sluice.target('nobody', false)$$)).code, 'SL001', 'neither');

select * from finish();
rollback;
