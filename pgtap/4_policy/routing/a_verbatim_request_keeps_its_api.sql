-- sluice.may_take
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a') as r \gset
select given_worker(array[:'a', :'b']) as w, given_worker(array[:'b']) as wb \gset
select count(sluice.submit(model => :'r', request => '{"n": 1}', p_now => at(0)))
from generate_series(1, 20) \g /dev/null
select given_tasks(:'r', 20) \g /dev/null
update sluice.models set api = 'openai-chat' where name = :'b';
insert into sluice.routes (route, model, weight) values (:'r', :'b', 1000);
select claimed(:wb, 30, at(1)), claimed(:w, 100, at(2)), claimed(:w, 100, at(3)) \g /dev/null
select is((select count(*) from sluice.lease l join sluice.task t on t.id = l.task_id
           where l.model = id_of(:'a') and t.request is not null), 20::bigint,
             'requests go where their api is spoken');
select is((select count(*) from sluice.lease l join sluice.task t on t.id = l.task_id
           where l.model = id_of(:'b') and t.request is not null), 0::bigint, 'and nowhere else');
select is((select count(*) from sluice.lease where worker in (:w, :wb)), 40::bigint,
  'prompts go to either');

select * from finish();
rollback;
