begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select lives_ok(format('select sluice.target(%L, true, at(0))', :'r'), 'a route of one api takes a request');
update sluice.models set api = 'openai-chat' where name = :'b';
select code, hint from error_of(format('select sluice.target(%L, true, at(0))', :'r')) \gset
select is(:'code'::text, 'SL001', 'a route of two does not');
select isnt(:'hint'::text, '', 'with a hint');
select lives_ok(format('select sluice.target(%L, false, at(0))', :'r'), 'a prompt fits all');
select lives_ok(format('select sluice.target(%L, true, at(0))', :'b'), 'and a request fits a model by its name');

select * from finish();
rollback;
