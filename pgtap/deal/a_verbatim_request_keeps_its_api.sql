begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a') as r \gset
select sluice.set_counter('room', id_of(:'a'), 1000);
select count(sluice.submit(model => :'r', request => '{"n": 1}', p_now => at(0))) from generate_series(1, 20) \g /dev/null
select given_tasks(:'r', 20) \g /dev/null
update sluice.models set api = 'openai-chat' where name = :'b';
insert into sluice.routes (route, model, weight) values (:'r', :'b', 1000);
select is(sluice.admit(:'a', null, at(1)), 40, 'the route has got a model of another api');
select is((select count(*) from sluice.queue q join sluice.task t on t.id = q.task_id
           where q.model = id_of(:'a') and t.request is not null), 20::bigint, 'requests go where their api is spoken');
select cmp_ok((select count(*) from sluice.queue q join sluice.task t on t.id = q.task_id
               where q.model = id_of(:'b') and t.prompt is not null), '>=', 19::bigint, 'prompts by weight');

select * from finish();
rollback;
