begin;
\ir ../_helpers.sql
select plan(7);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select is(sluice.route_api(:'r', true), 'solve', 'a request fits a route of one api');
update sluice.models set api = 'openai-chat' where name = :'b';
select code, hint from error_of(format('select sluice.route_api(%L, true)', :'r')) \gset
select is(:'code'::text, 'SL001', 'one of two it does not');
select isnt(:'hint'::text, '', 'with a hint');
select is(sluice.route_api(:'r', false), null, 'a prompt fits all');
select is((error_of(format('select sluice.route_api(%L, false)', :'a'))).code, 'SL001', 'a model is no route');
select is((error_of('select sluice.route_api(null, false)')).code, 'SL001', 'nor is null');
update sluice.models set paused = true where name in (:'a', :'b');
select is((error_of(format('select sluice.route_target(%L, true, at(0), 1)', :'r'))).code, 'SL001',
  'nor does it fit when none of them is open');

select * from finish();
rollback;
