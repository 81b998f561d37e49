begin;
\ir ../_helpers.sql
select plan(2);

select given_model(max_queue => 64) as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.models set api = 'openai-chat' where name = :'a';
update sluice.models set api = 'openai-chat' where name = :'b';
select sluice.submit(request => '{}', model => :'r', run_at => at(1), p_now => at(0)) as t \gset
update sluice.models set api = 'solve' where name = :'b';
update sluice.models set paused = true where name = :'a';
select given_tasks(:'r', 5, p_now => at(2)) \g /dev/null
update sluice.backlog set due = true, ready_at = at(1) where task_id = :t;
select sluice.admit(:'b', null, at(3)) \g /dev/null
select is(places(:t), 'backlog', 'it waits for a model of its api');
select is(cardinality(queued(:'b')), 5, 'the others do not wait for it');

select * from finish();
rollback;
