begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select is(sluice.route_api(:'r', true), 'solve', 'a request fits a route of one api');
update sluice.models set api = 'openai-chat' where name = :'b';
select code, hint from error_of(format('select sluice.route_api(%L, true)', :'r')) \gset
select is(:'code'::text, 'SL001', 'one of two it does not');
select isnt(:'hint'::text, '', 'with a hint');
select is(sluice.route_api(:'r', false), null, 'a prompt fits all');
select is((error_of(format('select sluice.route_api(%L, false)', :'a'))).code, 'SL001',
  'a model is no route');
select is((error_of('select sluice.route_api(null, false)')).code, 'SL001', 'nor is null');

select * from finish();
rollback;
