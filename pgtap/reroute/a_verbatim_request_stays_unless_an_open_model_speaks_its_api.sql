begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
update sluice.models set api = 'openai-chat' where name = :'a';
update sluice.models set api = 'anthropic-messages' where name = :'b';
select given_route(:'a') as r \gset
select sluice.submit(request => '{}', model => :'r', p_now => at(0)) as verbatim \gset
select given_task(:'r') as prompt \gset
insert into sluice.routes (route, model) values (:'r', :'b');
select sluice.pause(:'a');
select is(sluice.reroute(id_of(:'a'), at(10)), 1, 'one of the two goes');
select is(array[places(:verbatim), places(:prompt)], array['queue', 'backlog'], 'the prompt, which any model can answer');
select is(sluice.admit(:'b', null, at(10)), 1, 'and is served');
update sluice.models set api = 'openai-chat' where name = :'b';
select is(sluice.reroute(id_of(:'a'), at(20)), 1, 'the request goes when another model speaks its api');

select * from finish();
rollback;
